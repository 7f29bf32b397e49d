// Draws the charts of a page with uPlot. Without it, tables show the same values.
// @ts-check
(() => {
  /** @param {string} name of a CSS variable */
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

  /** @type {WeakMap<Element, { chart: any, data: string | undefined }>} the charts that are drawn, by their box */
  const drawn = new WeakMap();

  function drawCharts() {
    if (!('uPlot' in window)) return;
    for (const box of document.querySelectorAll('[data-chart]')) drawChart(/** @type {HTMLElement} */ (box));
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
    const values = series.map((/** @type {{ values: number[] }} */ each) => each.values);
    const columns = [
      times,
      ...(kind === 'stacked' ? stacked(values) : unit === 'ms' ? values.map(atLeastOne) : values),
    ];
    if (known && known.chart.series.length === columns.length) {
      known.chart.setData(columns);
      drawn.set(box, { ...known, data });
      return;
    }
    box.replaceChildren();
    drawn.set(box, { chart: newChart(box, { kind, unit, series, columns }), data });
  }

  /** A logarithmic scale has no 0. @param {(number | null)[]} values */
  const atLeastOne = (values) => values.map((value) => (value === null ? null : Math.max(value, 1)));

  /**
   * Each series on top of those after it, which are drawn over it.
   * @param {number[][]} values
   */
  const stacked = (values) =>
    values.map((each, series) =>
      each.map((_, index) => values.slice(series).reduce((sum, of) => sum + (of[index] ?? 0), 0)),
    );

  const chartHeight = 180;
  const { zone: timeZone } = document.documentElement.dataset;
  const minuteTime = new Intl.DateTimeFormat(undefined, {
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZone,
  });
  const dayTime = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' });
  const daySeconds = 86_400;

  /**
   * All times, and half a step around them for bars.
   * @param {number[]} times in seconds
   * @param {boolean} isBars
   */
  function wholeRange(times, isBars) {
    const [first = 0, last = 0] = [times[0], times.at(-1)];
    const step = times.length > 1 ? (last - first) / (times.length - 1) : daySeconds;
    const margin = isBars || first === last ? step / 2 : 0;
    return [first - margin, last + margin];
  }

  /**
   * The values without a neighbour, to which no line leads.
   * @param {{ data: (number | null)[][] }} chart
   * @param {number} series
   */
  function loneValues({ data }, series) {
    const values = data[series] ?? [];
    const isMissing = (/** @type {number} */ index) => values[index] === null || values[index] === undefined;
    return values.flatMap((_, index) =>
      !isMissing(index) && isMissing(index - 1) && isMissing(index + 1) ? [index] : [],
    );
  }

  /**
   * @param {HTMLElement} box
   * @param {{ kind: string, unit: string, series: { label: string, tone: string }[], columns: number[][] }} data
   */
  function newChart(box, { kind, unit, series, columns }) {
    const { uPlot } = /** @type {any} */ (window);
    const axis = {
      font: '13px system-ui, sans-serif',
      stroke: colour('muted'),
      grid: { stroke: colour('line'), width: 1 },
      ticks: { show: false },
    };
    const [first = 0, second = 0] = columns[0] ?? [];
    const isDaily = second === 0 || second - first >= daySeconds; // days are those of UTC
    const timeText = (/** @type {number} */ time) => (isDaily ? dayTime : minuteTime).format(new Date(time * 1_000));
    const shownValue = (/** @type {number | null | undefined} */ value) =>
      value === null || value === undefined ? '–' : `${Number(value.toFixed(2)).toLocaleString()} ${unit}`;
    /** @param {{ data: number[][] }} chart @param {number | null} value @param {number} index of the series @param {number} at */
    const valueText = ({ data }, value, index, at) =>
      shownValue(kind === 'stacked' && value !== null ? value - (data[index + 1]?.[at] ?? 0) : value);
    const isBars = kind !== 'line';
    const axisText = (/** @type {number | null} */ value) =>
      value === null
        ? ''
        : unit !== 'ms'
          ? value.toLocaleString()
          : value < 1_000
            ? `${value} ms`
            : `${value / 1_000} s`;
    const seriesOptions = series.map(({ label, tone }) => {
      const stroke = colour(tone === 'neutral' ? 'muted' : tone);
      const bars = isBars && { width: 0, fill: stroke, paths: uPlot.paths.bars({ size: [0.7, 24] }) };
      return {
        label,
        value: valueText,
        stroke,
        width: 2,
        points: { show: !isBars, size: 4, filter: loneValues },
        ...bars,
      };
    });
    // Durations are of seconds and of hours: on a linear scale a resumed backlog hides all others.
    const isLog = unit === 'ms';
    const range = (/** @type {unknown} */ _, /** @type {number} */ min, /** @type {number} */ max) =>
      isLog
        ? [10 ** Math.floor(Math.log10(Math.max(min, 1))), 10 ** Math.ceil(Math.log10(Math.max(max, 10)))]
        : [0, max > 0 ? max * 1.1 : 1];
    const powersOf10 = (/** @type {unknown} */ _, /** @type {number[]} */ splits) =>
      splits.map((value) => (Number.isInteger(Math.log10(value)) ? value : null));
    const chart = new uPlot(
      {
        width: box.clientWidth || 480,
        height: chartHeight,
        cursor: { y: false },
        axes: [
          {
            ...axis,
            size: 30,
            space: 64,
            values: (/** @type {unknown} */ _, /** @type {number[]} */ ticks) => ticks.map(timeText),
          },
          {
            ...axis,
            size: 56,
            ...(isLog && { grid: { ...axis.grid, filter: powersOf10 } }),
            values: (/** @type {unknown} */ _, /** @type {number[]} */ ticks) => ticks.map(axisText),
          },
        ],
        ...((isDaily || timeZone !== undefined) && {
          tzDate: (/** @type {number} */ time) => uPlot.tzDate(new Date(time * 1_000), 'Etc/UTC'),
        }),
        scales: {
          x: { range: (/** @type {{ data: number[][] }} */ { data }) => wholeRange(data[0] ?? [], isBars) },
          y: { range, distr: isLog ? 3 : 1 },
        },
        series: [
          {
            label: 'Time',
            value: (/** @type {unknown} */ _, /** @type {number} */ time) => (time ? timeText(time) : '–'),
          },
          ...seriesOptions,
        ],
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
    drawCharts();
  }

  document.addEventListener('htmx:after:swap', drawCharts);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redrawCharts);
  drawCharts();
})();
