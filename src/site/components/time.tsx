export type TimeProps = {
  /** ISO 8601, a Date, or milliseconds since 1970. */
  at: string | number | Date;
  /** Shows the distance from now, such as `3 min ago`. */
  relative?: boolean;
};

/** Time in the viewer's zone by the script, with UTC on hover; in UTC without scripts. */
export function Time({ at, relative = false }: TimeProps) {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return <>{String(at)}</>;
  const iso = date.toISOString();
  const utc = `${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`;
  return (
    <time datetime={iso} title={utc} data-time={relative ? 'relative' : 'local'}>
      {utc}
    </time>
  );
}

/** Shows each UTC instant of a sentence as a `Time`, except in quotes, which are values of events. */
export const TextWithTimes = ({ text }: { text: string }) => (
  <span>
    {text
      .split(/((?<!")\d{4}-\d\d-\d\dT[\d:.]+Z(?!"))/)
      .map((part, index) => (index % 2 === 1 ? <Time at={part} /> : part))}
  </span>
);

export const upperFirst = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

/** Sentence of a message, which begins in lower case or with a field's name and a colon, and ends without a full stop. */
export function sentence(message: string): string {
  const text = /^[\w.]+:/.test(message) ? message : upperFirst(message);
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

/** `850 ms`, `12 s`, `4 min`, `3 h`, `5 d`. */
export function durationText(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  const seconds = ms / 1_000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 120) return `${Math.round(seconds)} s`;
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min`;
  if (seconds < 172_800) return `${Math.round(seconds / 3_600)} h`;
  return `${Math.round(seconds / 86_400)} d`;
}

/** `12,345`. */
export const numberText = (value: number | bigint): string => value.toLocaleString('en-US');

/** `1 delivery`, `12 deliveries`. `plural`: of a noun that does not only get an s. */
export const countText = (count: number, noun: string, plural = `${noun}s`): string =>
  `${numberText(count)} ${count === 1 ? noun : plural}`;

/** `12 kB`, `3.4 MB`. */
export function bytesText(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), units.length - 1);
  const value = bytes / 1_000 ** power;
  return `${value < 10 && power > 0 ? value.toFixed(1) : Math.round(value)} ${units[power]}`;
}

/** `0`, `0.25`, `3.4`, `120`. */
export const rateText = (perSecond: number): string => {
  if (perSecond === 0) return '0';
  if (perSecond < 0.01) return '< 0.01';
  return perSecond < 1
    ? perSecond.toFixed(2)
    : perSecond < 100
      ? perSecond.toFixed(1)
      : numberText(Math.round(perSecond));
};
