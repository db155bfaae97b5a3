// What does not fit on the page that is open, a sentence each: {wide, cut, overlapping, pale}. Boxes and colours are
// those that the browser computed; nothing is compared with a picture.
() => {
  const APART = 1.5 // CSS pixels that two texts may share, and that a text may be wider than its box
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true })
  canvas.canvas.width = canvas.canvas.height = 1

  const colourOf = (css) => { // [red, green, blue, alpha], whatever the notation
    canvas.clearRect(0, 0, 1, 1)
    canvas.fillStyle = css
    canvas.fillRect(0, 0, 1, 1)
    const [red, green, blue, alpha] = canvas.getImageData(0, 0, 1, 1).data
    return [red, green, blue, alpha / 255]
  }
  const over = (upper, lower) => {
    const alpha = upper[3]
    return [0, 1, 2].map((each) => upper[each] * alpha + lower[each] * (1 - alpha)).concat(1)
  }
  const light = (colour) => {
    const [red, green, blue] = colour.slice(0, 3).map((each) => {
      const part = each / 255
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
    })
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
  }
  const contrast = (one, other) => {
    const [low, high] = [light(one), light(other)].sort((a, b) => a - b)
    return (high + 0.05) / (low + 0.05)
  }

  const ancestors = (element) => {
    const found = []
    for (let each = element; each; each = each.parentElement) found.push(each)
    return found
  }
  const isSeen = (element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true,
    contentVisibilityAuto: true })
  const named = (element) => {
    const name = element.localName + (element.id ? `#${element.id}` : '')
    return name + [...element.classList].slice(0, 2).map((each) => `.${each}`).join('')
  }
  const short = (text) => {
    const line = text.replace(/\s+/g, ' ').trim()
    return line.length > 48 ? `${line.slice(0, 47)}…` : line
  }
  const within = (box, other) => ({
    left: Math.max(box.left, other.left), right: Math.min(box.right, other.right),
    top: Math.max(box.top, other.top), bottom: Math.min(box.bottom, other.bottom),
  })
  // Only for those who are read to: a box of a pixel, or cut out of the page.
  const isForEars = (element) => ancestors(element).some((each) => {
    const box = each.getBoundingClientRect(), style = getComputedStyle(each)
    return style.position === 'absolute' && (style.clipPath !== 'none' || (box.width <= 2 && box.height <= 2))
  })

  const texts = [] // every text in sight, with the boxes of its lines as far as its scrollers show them
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  while (walker.nextNode()) {
    const node = walker.currentNode, element = node.parentElement
    if (!node.data.trim() || ['SCRIPT', 'STYLE', 'NOSCRIPT', 'TEMPLATE', 'TITLE', 'OPTION'].includes(element.tagName)) continue
    if (element.closest('title, desc, defs') || !isSeen(element) || isForEars(element)) continue
    const range = document.createRange()
    range.selectNodeContents(node)
    const frames = ancestors(element).filter((each) => getComputedStyle(each).overflow !== 'visible')
      .map((each) => each.getBoundingClientRect())
    const lines = [...range.getClientRects()].map((box) => frames.reduce(within, box))
      .filter((box) => box.right - box.left > 0.5 && box.bottom - box.top > 0.5)
    if (lines.length) texts.push({ node, element, lines, text: short(node.data), fixed: isFixed(element) })
  }

  function isFixed(element) { // what stays in sight lies over what scrolls by
    return ancestors(element).some((each) => ['fixed', 'sticky'].includes(getComputedStyle(each).position))
  }

  const wide = []
  const width = document.documentElement.clientWidth
  if (document.documentElement.scrollWidth > width) {
    const widest = [...document.body.querySelectorAll('*')].filter((each) => isSeen(each) && !isForEars(each))
      .filter((each) => each.getBoundingClientRect().right > width + 0.5).slice(0, 4)
    wide.push(`${document.documentElement.scrollWidth} px in a window of ${width}: ${widest.map(named).join(', ')}`)
  }

  const cut = new Set()
  for (const { element, text, node } of texts) {
    for (const each of ancestors(element)) {
      const style = getComputedStyle(each)
      if (each === document.documentElement) continue
      if (each instanceof SVGElement) {
        if (each.localName === 'svg' && style.overflow !== 'visible') {
          const range = document.createRange()
          range.selectNodeContents(node)
          const frame = each.getBoundingClientRect(), box = range.getBoundingClientRect()
          if (box.left < frame.left - APART || box.right > frame.right + APART || box.top < frame.top - APART ||
            box.bottom > frame.bottom + APART) cut.add(`“${text}” leaves its drawing ${named(each)}`)
        }
        continue
      }
      if (style.display === 'inline') continue
      if (['auto', 'scroll'].includes(style.overflowX)) break
      const isEllipsis = style.textOverflow === 'ellipsis' && style.overflowX !== 'visible'
      const isWhole = each.closest('[title], a[href]') || each.closest('[role=row], tr')?.querySelector('a[href]') ||
        each.closest('li')?.querySelector('button')
      if (isEllipsis && isWhole) break // the rest is a hover or a click away
      const isOwner = each === element || style.overflowX !== 'visible'
      if (isOwner && each.clientWidth && each.scrollWidth > each.clientWidth + APART) {
        cut.add(`“${text}”: ${each.scrollWidth} px in the ${each.clientWidth} of ${named(each)}`)
      }
      if (['hidden', 'clip'].includes(style.overflowY) && each.clientHeight &&
        each.scrollHeight > each.clientHeight + APART && !isWhole) {
        cut.add(`“${text}”: ${each.scrollHeight} px high in the ${each.clientHeight} of ${named(each)}`)
      }
    }
  }

  const overlapping = []
  const boxes = texts.filter((each) => !each.fixed).flatMap((each) => each.lines.map((line) => {
    const spare = (line.bottom - line.top) * 0.22 // a font's box is higher than its letters
    return { ...each, left: line.left, right: line.right, top: line.top + spare, bottom: line.bottom - spare }
  })).sort((one, other) => one.top - other.top)
  const isOutOf = (one, other) => { // an open menu lies over the page, and is no fault
    const layer = (element) => ancestors(element).find((each) => getComputedStyle(each).zIndex !== 'auto')
    return layer(one.element) !== layer(other.element)
  }
  boxes.forEach((one, place) => {
    for (let next = place + 1; next < boxes.length && boxes[next].top < one.bottom - APART; next += 1) {
      const other = boxes[next], common = within(one, other)
      if (one.node === other.node || common.right - common.left <= APART || isOutOf(one, other)) continue
      if (common.bottom - common.top > APART) overlapping.push(`“${one.text}” and “${other.text}”`)
    }
  })

  const pale = new Set()
  const ground = (element, line) => {
    const layers = []
    if (element instanceof SVGElement) { // the shapes that are drawn before the text and lie behind it
      const x = (line.left + line.right) / 2, y = (line.top + line.bottom) / 2
      for (const shape of [...element.ownerSVGElement.querySelectorAll('rect, circle, path, polygon, ellipse')].reverse()) {
        if (!(shape.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING) || !isSeen(shape)) continue
        const style = getComputedStyle(shape), box = shape.getBoundingClientRect()
        if (style.fill === 'none' || x < box.left || x > box.right || y < box.top || y > box.bottom) continue
        if (shape.localName === 'path') continue // a line, or too intricate: its box is no ground
        const fill = colourOf(style.fill)
        layers.push([...fill.slice(0, 3), fill[3] * style.fillOpacity * style.opacity])
      }
    }
    for (const each of ancestors(element)) layers.push(colourOf(getComputedStyle(each).backgroundColor))
    return layers.reverse().reduce((lower, upper) => over(upper, lower), [255, 255, 255, 1])
  }
  for (const { element, text, lines } of texts) {
    if (element.closest(':disabled, [aria-disabled=true], [aria-hidden=true]')) continue
    const style = getComputedStyle(element), behind = ground(element, lines[0])
    const ink = colourOf(element instanceof SVGElement ? style.fill : style.color)
    ink[3] *= ancestors(element).reduce((all, each) => all * getComputedStyle(each).opacity, 1)
    const size = parseFloat(style.fontSize), isLarge = size >= 24 || (size >= 18.66 && style.fontWeight >= 700)
    const found = contrast(over(ink, behind), behind)
    if (found < (isLarge ? 3 : 4.5)) pale.add(`“${text}” ${found.toFixed(2)} in ${named(element)}`)
  }

  return { wide, cut: [...cut], overlapping: [...new Set(overlapping)], pale: [...pale] }
}
