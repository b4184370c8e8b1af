// Marks that the app has not answered yet, kept in this tab of the browser: where the connection is
// lost the page is loaded again once it is back, and what was drawn must not be gone then.

export const stageKept = (() => {
  const KEPT = 'truehue-unheard';
  return {
    keep(image_id, marks) {
      try {
        sessionStorage.setItem(KEPT, JSON.stringify({ image_id, marks }));
      } catch {
        /* a reload forgets them */
      }
    },
    done() {
      try {
        sessionStorage.removeItem(KEPT);
      } catch {
        /* as above */
      }
    },
    // What is kept of this image, once; of another image nothing is put anywhere.
    take(image_id) {
      let saved = null;
      try {
        saved = JSON.parse(sessionStorage.getItem(KEPT));
      } catch {
        /* nothing */
      }
      this.done();
      return saved &&
        saved.image_id === image_id &&
        Array.isArray(saved.marks) &&
        saved.marks.length
        ? saved
        : null;
    },
  };
})();
