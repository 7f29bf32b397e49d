// The slider of a listener: shows the listener as of the instant to which it is moved. Pages work without it.
// @ts-check
(() => {
  const slider = /** @type {HTMLElement | null} */ (document.querySelector('[data-slider]'));
  const range = slider?.querySelector('input');
  if (!slider || !range) return;

  /** Pause in moving after which the listener is read. */
  const restMs = 120;
  /** @type {AbortController | undefined} */
  let reading;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  let steps = Promise.resolve();

  const stateShown = () => /** @type {HTMLElement} */ (document.getElementById('as-of-state'));

  /** Shows the listener as of an instant; an instant that is asked for later takes its place. @param {string} at ISO 8601 */
  async function show(at) {
    reading?.abort();
    reading = new AbortController();
    const query = `?at=${encodeURIComponent(at)}`;
    try {
      const response = await fetch(`${slider?.dataset.slider}${query}`, { signal: reading.signal });
      if (response.status === 401 || response.redirected) return location.reload(); // leads to the page for signing in
      const next = new DOMParser().parseFromString(await response.text(), 'text/html').getElementById('as-of-state');
      if (!response.ok || !next) throw new Error(`${response.status}`);
      stateShown().replaceWith(next);
      history.replaceState(null, '', `${slider?.dataset.page}${query}`);
      reflect();
    } catch (error) {
      if (!(error instanceof DOMException && error.name === 'AbortError')) {
        stateShown().textContent = 'The listener cannot be read now. Move the slider to try again.';
      }
    }
  }

  /** Brings slider, field and timeline in line with the state that is shown. */
  function reflect() {
    const { at = '', revision, state = '' } = stateShown().dataset;
    if (!range || at === '') return;
    range.value = String(Date.parse(at));
    const field = /** @type {HTMLInputElement | null} */ (document.getElementById('field-at'));
    if (field) field.dataset.utc = at;
    mark(revision);
    document.dispatchEvent(new Event('htmx:after:swap')); // shows times in the viewer's zone
    range.setAttribute(
      'aria-valuetext',
      `${stateShown().querySelector('.as-of-sentence time')?.textContent}: ${state}`,
    );
  }

  /** Marks the change that applies. @param {string | undefined} revision */
  function mark(revision) {
    for (const item of document.querySelectorAll('.timeline li[id^="change-"]')) {
      const applies = item.id === `change-${revision}`;
      if (applies === item.hasAttribute('aria-current')) continue; // a change would notify the observer below
      if (applies) item.setAttribute('aria-current', 'time');
      else item.removeAttribute('aria-current');
    }
  }

  range.addEventListener('input', () => {
    const at = new Date(Number(range.value)).toISOString();
    const timeZone = document.documentElement.dataset.zone;
    range.setAttribute('aria-valuetext', new Date(at).toLocaleString(undefined, { timeZone }));
    clearTimeout(timer);
    timer = setTimeout(() => void show(at), restMs);
  });

  /** One after the other: each step begins at the change that the one before has shown. */
  range.addEventListener('keydown', (event) => {
    const isBack = event.key === 'ArrowLeft' || event.key === 'ArrowDown';
    if (!isBack && event.key !== 'ArrowRight' && event.key !== 'ArrowUp') return;
    event.preventDefault();
    steps = steps.then(() => {
      const { previous, next } = stateShown().dataset;
      const at = isBack ? previous : (next ?? new Date(Number(range.max)).toISOString());
      return at === undefined ? undefined : show(at);
    });
  });

  document.addEventListener('click', (event) => {
    const link = event.target instanceof Element && event.target.closest('a[href$="#as-of"]');
    if (!(link instanceof HTMLAnchorElement) || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    show(new URL(link.href).searchParams.get('at') ?? '').then(() => {
      const { rel } = link;
      if (rel === '') return slider.scrollIntoView({ block: 'center' }); // from the timeline
      const same = stateShown().querySelector(`[rel="${rel}"]`) ?? stateShown().querySelector('[rel]');
      if (same instanceof HTMLElement) same.focus();
    });
  });

  // Updates of the open page render the timeline as of the instant with which the page was opened.
  const timeline = document.getElementById('live-timeline');
  const observed = { childList: true, subtree: true, attributeFilter: ['aria-current'] };
  if (timeline) new MutationObserver(() => mark(stateShown().dataset.revision)).observe(timeline, observed);

  slider.hidden = false;
  reflect();
})();
