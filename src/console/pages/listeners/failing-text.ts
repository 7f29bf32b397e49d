import { countText } from '../../../site/components/time.js';

/** Words for the time that a listener has failed, of the fact `failing` in the history, with a UTC instant; undefined: it has not. */
export function failingText(failing: unknown): string | undefined {
  if (typeof failing !== 'object' || failing === null) return undefined;
  const { failures, since, percent } = failing as Readonly<Record<string, unknown>>;
  return `${countText(Number(failures), 'failed attempt')} since ${since}: ${percent} % of the way to a pause`;
}
