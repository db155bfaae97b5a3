// Search on a site that is opened from disk: browsers start no worker from a file, so what it does runs in a hidden frame.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(address) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      this.inside = frame.contentWindow;
      this.inside.postMessage = (data) => setTimeout(() => this.dispatchEvent(new MessageEvent("message", { data })));
      const work = frame.contentDocument.createElement("script");
      work.src = address;
      this.ready = new Promise((resolve) => work.addEventListener("load", resolve));
      frame.contentDocument.body.append(work);
    }

    postMessage(data) {
      this.ready.then(() => this.inside.dispatchEvent(new MessageEvent("message", { data })));
    }
  };
}
