// The script of the console: times in the viewer's zone, charts, copying, the menu on phones. Pages work without it.
// @ts-check
(() => {
  document.documentElement.classList.add('scripted');

  const localTime = new Intl.DateTimeFormat(undefined, {
    year: 'numeric',
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  });
  const distance = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto', style: 'short' });
  /** @type {[Intl.RelativeTimeFormatUnit, number][]} */
  const units = [
    ['day', 86_400],
    ['hour', 3_600],
    ['minute', 60],
    ['second', 1],
  ];

  /** @param {Date} date */
  function relativeText(date) {
    const seconds = (date.getTime() - Date.now()) / 1_000;
    const [unit, size] = units.find(([, each]) => Math.abs(seconds) >= each) ?? ['second', 1];
    return distance.format(Math.round(seconds / size), unit);
  }

  /** @param {ParentNode} root */
  function showTimes(root) {
    for (const element of root.querySelectorAll('time[data-time]')) {
      const date = new Date(element.getAttribute('datetime') ?? '');
      if (Number.isNaN(date.getTime())) continue;
      const text = element.getAttribute('data-time') === 'relative' ? relativeText(date) : localTime.format(date);
      if (element.textContent !== text) element.textContent = text;
    }
  }

  /** @param {string} name of a CSS variable */
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

  /** @type {WeakMap<Element, { chart: any, data: string | undefined }>} the charts that are drawn, by their box */
  const drawn = new WeakMap();

  /** @param {ParentNode} root */
  function drawCharts(root) {
    if (!('uPlot' in window)) return;
    for (const box of root.querySelectorAll('[data-chart]')) drawChart(/** @type {HTMLElement} */ (box));
  }

  /**
   * Draws the data of a box, or changes the chart that is drawn there.
   * @param {HTMLElement} box
   */
  function drawChart(box) {
    const known = drawn.get(box);
    const data = box.dataset.chart;
    if (known?.data === data) return;
    const { kind, unit, times, series } = JSON.parse(data ?? '');
    const columns = [times, ...series.map((/** @type {{ values: number[] }} */ { values }) => values)];
    if (known && known.chart.series.length === columns.length) {
      known.chart.setData(columns);
      drawn.set(box, { ...known, data });
      return;
    }
    box.replaceChildren();
    drawn.set(box, { chart: newChart(box, { kind, unit, series, columns }), data });
  }

  const chartHeight = 180;

  /**
   * @param {HTMLElement} box
   * @param {{ kind: string, unit: string, series: { label: string, tone: string }[], columns: number[][] }} data
   */
  function newChart(box, { kind, unit, series, columns }) {
    const { uPlot } = /** @type {any} */ (window);
    const axis = { stroke: colour('muted'), grid: { stroke: colour('line'), width: 1 }, ticks: { show: false } };
    const valueText = (/** @type {unknown} */ _, /** @type {number | null | undefined} */ value) =>
      value === null || value === undefined ? '–' : `${Number(value.toFixed(2)).toLocaleString()} ${unit}`;
    const seriesOptions = series.map(({ label, tone }) => {
      const stroke = colour(tone === 'neutral' ? 'muted' : tone);
      const bars = kind === 'bars' && { fill: stroke, paths: uPlot.paths.bars({ size: [0.7, 24] }) };
      return { label, value: valueText, stroke, width: 2, points: { show: false }, ...bars };
    });
    const range = (/** @type {unknown} */ _, /** @type {number} */ __, /** @type {number} */ max) => [
      0,
      max > 0 ? max * 1.1 : 1,
    ];
    const chart = new uPlot(
      {
        width: box.clientWidth || 480,
        height: chartHeight,
        cursor: { y: false },
        axes: [axis, { ...axis, size: 56 }],
        scales: { y: { range } },
        series: [{}, ...seriesOptions],
      },
      columns,
      box,
    );
    new ResizeObserver(() => {
      if (box.clientWidth > 0 && box.clientWidth !== chart.width)
        chart.setSize({ width: box.clientWidth, height: chartHeight });
    }).observe(box);
    return chart;
  }

  /** Draws all charts anew, with the colours of the other theme. */
  function redrawCharts() {
    for (const box of document.querySelectorAll('[data-chart]')) drawn.delete(box);
    drawCharts(document);
  }

  /** @param {ParentNode} root */
  function enhance(root) {
    showTimes(root);
    drawCharts(root);
    for (const button of root.querySelectorAll('[data-copy]')) /** @type {HTMLElement} */ (button).hidden = false;
  }

  function enableMenu() {
    const button = /** @type {HTMLElement | null} */ (document.querySelector('.menu-button'));
    const menu = document.getElementById('menu');
    if (!button || !menu) return;
    button.hidden = false;
    button.addEventListener('click', () => {
      const isOpen = menu.classList.toggle('open');
      button.setAttribute('aria-expanded', String(isOpen));
    });
  }

  /** Interval of polling where server-sent events do not get through, and pause before they are tried again. */
  const pollMs = 5_000;
  const retryStreamMs = 60_000;
  const maxFailures = 3;

  /** Keeps the live parts of the page up to date, while it is visible. */
  function keepLive() {
    const href = document.querySelector('main')?.dataset.live;
    if (!href) return;
    /** @type {EventSource | undefined} */
    let stream;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let timer;
    let failures = 0;

    /** @param {() => void} next @param {number} afterMs */
    function later(next, afterMs) {
      clearTimeout(timer);
      timer = setTimeout(next, afterMs);
    }

    function open() {
      close();
      stream = new EventSource(href ?? '');
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
        const response = await fetch(href ?? '', { headers: { accept: 'application/json' } });
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
    document.addEventListener('visibilitychange', () => (document.hidden ? close() : open()));
    if (!document.hidden) open();
  }

  /** @param {{ parts: Record<string, string>, isStale: boolean }} message */
  function update({ parts, isStale }) {
    for (const [id, html] of Object.entries(parts)) {
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
    showTimes(next.content);
    const charts = element.querySelectorAll('[data-chart]');
    next.content.querySelectorAll('[data-chart]').forEach((box, index) => {
      charts[index]?.setAttribute('data-chart', box.getAttribute('data-chart') ?? '');
    });
    const { htmx } = /** @type {any} */ (window);
    if (htmx) void htmx.swap({ sourceElement: element, target: element, text: next.innerHTML, swap: 'innerMorph' });
    else element.replaceChildren(next.content);
    enhance(element);
  }

  /** @param {'live' | 'stale'} state */
  function showState(state) {
    const shown = /** @type {HTMLElement | null} */ (document.querySelector('[data-live-state]'));
    if (!shown) return;
    const text = state === 'live' ? 'Live' : 'Not up to date';
    if (shown.hidden || shown.textContent !== text) shown.textContent = text;
    shown.hidden = false;
    shown.classList.toggle('stale', state === 'stale');
  }

  document.addEventListener('click', async (event) => {
    const button = event.target instanceof Element ? event.target.closest('[data-copy]') : null;
    if (!button) return;
    await navigator.clipboard.writeText(button.getAttribute('data-copy') ?? '');
    button.textContent = 'Copied';
    setTimeout(() => {
      button.textContent = 'Copy';
    }, 2_000);
  });
  document.addEventListener('htmx:after:swap', () => enhance(document));
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redrawCharts);
  setInterval(() => {
    if (!document.hidden) showTimes(document);
  }, 10_000);

  enableMenu();
  enhance(document);
  keepLive();
})();
