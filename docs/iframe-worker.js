// Search on a site that is opened from disk: browsers start no worker from a file, so what it does runs in a hidden frame.
if (location.protocol === "file:") {
  window.Worker = class {
    constructor(address) {
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.body.append(this.frame);
      this.inside = this.frame.contentWindow;
      this.inside.postMessage = (data) => setTimeout(() => this.onmessage?.({ data }));
      const work = this.frame.contentDocument.createElement("script");
      work.src = address;
      this.ready = new Promise((resolve) => work.addEventListener("load", resolve));
      this.frame.contentDocument.body.append(work);
    }

    postMessage(data) {
      this.ready.then(() => this.inside.dispatchEvent(new MessageEvent("message", { data })));
    }

    terminate() {
      this.frame.remove();
    }
  };
}
