// The form of a run, kept in this browser.
const KEPT_FORM = 'th-run-form';
const KEPT_FIELDS = ['set', 'task', 'system', 'limit', 'images', 'seed', 'size', 'workers', 'name', 'guidance', 'steps', 'negative', 'light', 'failure', 'variant', 'presence', 'k', 'ray', 'detector', 'segmenter', 'other', 'stored', 'price'];
function formKept() {
  try {
    const kept = JSON.parse(localStorage.getItem(KEPT_FORM));
    return kept && typeof kept === 'object' ? kept : null;
  } catch (error) { return null; /* the usual form then */ }
}
function keepFormOf(values) { try { localStorage.setItem(KEPT_FORM, JSON.stringify(values)); } catch (error) { /* it holds until the page closes */ } }
