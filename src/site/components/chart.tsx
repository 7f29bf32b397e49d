import { Time } from './time.js';

type Series = {
  label: string;
  /** One for each time; null: unknown. */
  values: readonly (number | null)[];
  tone: 'accent' | 'good' | 'bad' | 'warn' | 'neutral';
};

export type ChartProps = {
  title: string;
  /** Text behind a value, such as `/s` or `ms`. */
  unit: string;
  /** ISO 8601. */
  times: readonly string[];
  series: readonly Series[];
  /** `stacked`: bars on top of each other; `bars`: each series is a part of the one before. */
  kind?: 'line' | 'bars' | 'stacked';
};

/** Drawn by the script; a table of the values for screen readers and without scripts. */
export const Chart = ({ title, unit, times, series, kind = 'line' }: ChartProps) => (
  <figure class="chart">
    <figcaption>{title}</figcaption>
    <div
      class="chart-box"
      aria-hidden="true"
      data-chart={JSON.stringify({
        kind,
        unit,
        times: times.map((time) => Date.parse(time) / 1_000),
        series,
      })}
    />
    <div class="chart-table">
      <table>
        <caption>
          {title} ({unit})
        </caption>
        <thead>
          <tr>
            <th scope="col">Time</th>
            {series.map(({ label }) => (
              <th key={label} scope="col" class="numeric">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {times.map((time, index) => (
            <tr key={time}>
              <th scope="row">
                <Time at={time} />
              </th>
              {series.map(({ label, values }) => (
                <td key={label} class="numeric">
                  {values[index] ?? '–'}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  </figure>
);
