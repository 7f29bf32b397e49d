// Keeps what was typed into forms while the session has ended: it is there again after signing in. Pages work without it.
// @ts-check
(() => {
  const key = 'draft';
  /** A person who signs in with a second factor takes minutes. */
  const maxAgeMs = 30 * 60_000;
  const here = location.pathname + location.search;
  /** Pages for signing in, and those that say that a session has ended, have no navigation. */
  const isSignedOut = document.querySelector('.shell') === null;

  /** @typedef {{ form: string, name: string, value: string, checked: boolean }} Typed */
  /** @typedef {{ page: string, at: number, isInterrupted: boolean, typed: Typed[] }} Draft */

  /** @returns {Draft | undefined} */
  function kept() {
    try {
      const draft = JSON.parse(sessionStorage.getItem(key) ?? 'null');
      return draft && Date.now() - draft.at < maxAgeMs ? draft : undefined;
    } catch {
      return undefined; // a frame of another site may have no storage
    }
  }

  /** @param {Draft | undefined} draft */
  function keep(draft) {
    try {
      if (draft) sessionStorage.setItem(key, JSON.stringify(draft));
      else sessionStorage.removeItem(key);
    } catch {
      // without storage, or too large
    }
  }

  /** @typedef {HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement} Control */

  const forms = () => [...document.querySelectorAll('form')].filter(({ method }) => method === 'post');
  const nameOf = (/** @type {HTMLFormElement} */ form) => new URL(form.action).pathname;

  /** @param {HTMLFormElement} form @returns {{ control: Control, value: string, isChanged: boolean }[]} */
  function controlsOf(form) {
    return [...form.elements].flatMap((element) => {
      const control = /** @type {Control} */ (element);
      if (!control.name || ['password', 'file'].includes(control.type)) return [];
      const { value } = control;
      if (control instanceof HTMLSelectElement) {
        const initial = [...control.options].find(({ defaultSelected }) => defaultSelected) ?? control.options[0];
        return [{ control, value, isChanged: value !== initial?.value }];
      }
      if (control.type === 'checkbox' && control instanceof HTMLInputElement)
        return [{ control, value, isChanged: control.checked !== control.defaultChecked }];
      if (control.type !== 'hidden') return [{ control, value, isChanged: value !== control.defaultValue }];
      // It is sent instead of a time in the viewer's zone, which stands before it.
      const time = control.previousElementSibling;
      if (!(time instanceof HTMLInputElement) || time.dataset.utc === undefined) return [];
      return [{ control, value, isChanged: value !== time.dataset.utc }];
    });
  }

  addEventListener('pagehide', () => {
    if (isSignedOut) return;
    /** @type {Typed[]} */
    const typed = [];
    for (const form of forms()) {
      for (const { control, value, isChanged } of controlsOf(form)) {
        const checked = control instanceof HTMLInputElement && control.checked;
        if (isChanged) typed.push({ form: nameOf(form), name: control.name, value, checked });
      }
    }
    // One that waits for its page is not given up for a page without input, on which a new session begins.
    if (typed.length > 0) keep({ page: here, at: Date.now(), isInterrupted: false, typed });
  });

  /** @param {HTMLFormElement} form @param {Typed} typed */
  function restore(form, { name, value, checked }) {
    for (const { control } of controlsOf(form)) {
      if (control.name !== name) continue;
      if (control instanceof HTMLInputElement && control.type === 'checkbox') {
        if (control.value === value) control.checked = checked;
      } else if (control instanceof HTMLInputElement && control.dataset.utc !== undefined) {
        control.dataset.utc = value; // console.js shows it in the viewer's zone
        control.value = value.replace(/Z$/, '');
      } else control.value = value;
    }
  }

  function say(/** @type {HTMLFormElement} */ form) {
    const notice = document.createElement('div');
    notice.className = 'notice warn';
    notice.setAttribute('role', 'status');
    notice.textContent = 'Your session had ended, and nothing was sent. What you typed is here again.';
    form.prepend(notice);
  }

  const draft = kept();
  if (isSignedOut) keep(draft && { ...draft, isInterrupted: true });
  else if (!draft?.isInterrupted) keep(undefined);
  else if (draft.page === here) {
    keep(undefined);
    for (const form of forms()) {
      const typed = draft.typed.filter((each) => each.form === nameOf(form));
      for (const each of typed) restore(form, each);
      if (typed.length > 0) say(form);
    }
  }
})();
