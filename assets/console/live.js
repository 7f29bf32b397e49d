// Keeps the live parts of a page up to date: by server-sent events, or by polling. Pages work without it.
// @ts-check
(() => {
  /** Interval of polling where server-sent events do not get through, and pause before they are tried again. */
  const pollMs = 5_000;
  const retryStreamMs = 60_000;
  const maxFailures = 3;

  /** Keeps the live parts of the page up to date, while it is visible. */
  function keepLive() {
    const path = document.querySelector('main')?.dataset.live?.split('?')[0];
    if (!path) return;
    let href = path + location.search;
    /** @type {EventSource | undefined} */
    let stream;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let timer;
    let failures = 0;
    let isStopped = false;

    /** @param {() => void} next @param {number} afterMs */
    function later(next, afterMs) {
      clearTimeout(timer);
      timer = setTimeout(next, afterMs);
    }

    function open() {
      close();
      stream = new EventSource(href);
      stream.onmessage = ({ data }) => {
        failures = 0;
        update(JSON.parse(data));
      };
      stream.onerror = () => {
        failures += 1;
        showState('stale');
        if (failures >= maxFailures) {
          poll(Date.now() + retryStreamMs);
        } else if (stream?.readyState === EventSource.CLOSED) {
          later(open, 1_000 * 2 ** failures * (0.5 + Math.random()));
        }
      };
    }

    /** @param {number} until when server-sent events are tried again */
    async function poll(until) {
      close();
      try {
        const response = await fetch(href, { headers: { accept: 'application/json' } });
        if (response.status === 401) return location.reload(); // leads to the page for signing in
        if (!response.ok) throw new Error(`${response.status}`);
        update(await response.json());
      } catch {
        showState('stale');
      }
      if (document.hidden) return;
      if (Date.now() < until) later(() => poll(until), pollMs);
      else {
        failures = 0;
        open();
      }
    }

    function close() {
      clearTimeout(timer);
      stream?.close();
      stream = undefined;
    }

    addEventListener('pagehide', close);
    addEventListener('pageshow', ({ persisted }) => persisted && open());
    // Filters change the query of the page, and what is live with it.
    document.addEventListener('htmx:after:history:update', () => {
      if (path + location.search === href) return;
      href = path + location.search;
      open();
    });
    document.addEventListener('visibilitychange', () => (document.hidden || isStopped ? close() : open()));
    document.querySelector('[data-live-state]')?.addEventListener('click', () => {
      isStopped = !isStopped;
      if (!isStopped) return open();
      close();
      showState('stopped');
    });
    if (!document.hidden) open();
  }

  /** Time after a move of the pointer over a table in which its rows do not move. */
  const pointerRestMs = 2_000;
  let movedAt = Number.NEGATIVE_INFINITY;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let held;
  /** Parts that have come in the meantime. @type {Record<string, string>} */
  let waiting = {};
  document.addEventListener('pointermove', ({ target }) => {
    if (target instanceof Element && target.closest('tbody')) movedAt = performance.now();
  });
  const isPointed = () => performance.now() - movedAt < pointerRestMs && document.querySelector('tbody:hover') !== null;

  /** @param {{ parts: Record<string, string>, isStale: boolean }} message */
  function update({ parts, isStale }) {
    clearTimeout(held);
    if (isPointed()) {
      held = setTimeout(() => update({ parts, isStale }), pointerRestMs);
      waiting = { ...waiting, ...parts };
      return;
    }
    const shown = { ...waiting, ...parts };
    waiting = {};
    for (const [id, html] of Object.entries(shown)) {
      const element = document.getElementById(id);
      if (element) replaceContents(element, html);
    }
    showState(isStale ? 'stale' : 'live');
  }

  /**
   * Changes only what differs, so that the focus, the selection and opened details stay. The boxes of charts are left out: their
   * charts get the new data.
   * @param {HTMLElement} element
   * @param {string} html from this service, which escapes all values in it
   */
  function replaceContents(element, html) {
    const next = document.createElement('template');
    next.innerHTML = html;
    document.dispatchEvent(new CustomEvent('console:before-show', { detail: next.content }));
    const charts = element.querySelectorAll('[data-chart]');
    next.content.querySelectorAll('[data-chart]').forEach((box, index) => {
      charts[index]?.setAttribute('data-chart', box.getAttribute('data-chart') ?? '');
    });
    const { htmx } = /** @type {any} */ (window);
    if (htmx)
      return void htmx.swap({ sourceElement: element, target: element, text: next.innerHTML, swap: 'innerMorph' });
    element.replaceChildren(next.content);
    document.dispatchEvent(new Event('htmx:after:swap'));
  }

  /** @param {'live' | 'stale' | 'stopped'} state */
  function showState(state) {
    const shown = /** @type {HTMLElement | null} */ (document.querySelector('[data-live-state]'));
    if (!shown) return;
    const text = { live: 'Live', stale: 'Not up to date', stopped: 'Stopped' }[state];
    if (shown.hidden || shown.textContent !== text) shown.textContent = text;
    shown.hidden = false;
    shown.classList.toggle('stale', state === 'stale');
    shown.classList.toggle('stopped', state === 'stopped');
  }

  keepLive();
})();
