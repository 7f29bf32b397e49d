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

  /** @param {ParentNode} root */
  function drawCharts(root) {
    if (!('uPlot' in window)) return;
    for (const box of root.querySelectorAll('[data-chart]')) drawChart(/** @type {HTMLElement} */ (box));
  }

  /** @param {HTMLElement} box */
  function drawChart(box) {
    const { kind, unit, times, series } = JSON.parse(box.dataset.chart ?? '');
    const { uPlot } = /** @type {any} */ (window);
    const axis = { stroke: colour('muted'), grid: { stroke: colour('line'), width: 1 }, ticks: { show: false } };
    const text = (/** @type {unknown} */ _, /** @type {number | null} */ value) =>
      value === null || value === undefined ? '–' : `${Number(value.toFixed(2)).toLocaleString()} ${unit}`;
    box.replaceChildren();
    const chart = new uPlot(
      {
        width: box.clientWidth || 480,
        height: 180,
        cursor: { y: false },
        axes: [axis, { ...axis, size: 56 }],
        scales: {
          y: {
            range: (/** @type {unknown} */ _, /** @type {number} */ __, /** @type {number} */ max) => [
              0,
              max > 0 ? max * 1.1 : 1,
            ],
          },
        },
        series: [
          {},
          ...series.map((/** @type {{ label: string, tone: string }} */ { label, tone }) => ({
            label,
            value: text,
            stroke: colour(tone === 'neutral' ? 'muted' : tone),
            width: 2,
            points: { show: false },
            ...(kind === 'bars' && {
              fill: colour(tone === 'neutral' ? 'muted' : tone),
              paths: uPlot.paths.bars({ size: [0.7, 24] }),
            }),
          })),
        ],
      },
      [times, ...series.map((/** @type {{ values: number[] }} */ { values }) => values)],
      box,
    );
    new ResizeObserver(() => {
      if (box.clientWidth > 0 && box.clientWidth !== chart.width)
        chart.setSize({ width: box.clientWidth, height: 180 });
    }).observe(box);
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
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => drawCharts(document));
  setInterval(() => {
    if (!document.hidden) showTimes(document);
  }, 10_000);

  enableMenu();
  enhance(document);
})();
