// Elements are made from values, never from markup: whatever a text holds is shown, and nothing of it runs.

const DRAWN = "http://www.w3.org/2000/svg";

function make(tag, attributes = {}, ...children) {
  return complete(document.createElement(tag), attributes, children);
}

function draw(tag, attributes = {}, ...children) {
  return complete(document.createElementNS(DRAWN, tag), attributes, children);
}

function complete(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(9).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

function button(text, onclick, attributes = {}) {
  return make("button", { type: "button", onclick, ...attributes }, text);
}
