import type { Tone } from './tone.js';

export type SparklinePart = { tone: Tone; label: string; values: readonly number[] };

const columnWidth = 10;
const gap = 2;
const height = 48;

/** Bars of equal width, the parts of each on top of each other. The sums are its text. */
export function Sparkline({ title, parts }: { title: string; parts: readonly SparklinePart[] }) {
  const columns = parts[0]?.values.map((_, index) => parts.map(({ values }) => values[index] ?? 0)) ?? [];
  const highest = Math.max(1, ...columns.map((column) => column.reduce((sum, value) => sum + value, 0)));
  const texts = parts.flatMap(({ label, values }) => {
    const sum = values.reduce((total, value) => total + value, 0);
    return sum === 0 ? [] : [`${sum.toLocaleString('en-US')} ${label}`];
  });
  return (
    <figure class="sparkline">
      <figcaption>
        <strong>{title}</strong> {texts.join(', ') || 'no attempts'}
      </figcaption>
      <svg viewBox={`0 0 ${columns.length * columnWidth} ${height}`} preserveAspectRatio="none" aria-hidden="true">
        {columns.map((column, index) => {
          let top = height;
          return column.map((value, part) => {
            if (value === 0) return null;
            const size = Math.max(2, (value / highest) * (height - 2));
            top -= size;
            return (
              <rect
                key={`${index}-${part}`}
                class={parts[part]?.tone}
                x={index * columnWidth}
                y={Math.round(top)}
                width={columnWidth - gap}
                height={Math.round(size)}
              />
            );
          });
        })}
        <rect class="base" x="0" y={height - 1} width={columns.length * columnWidth} height="1" />
      </svg>
    </figure>
  );
}
