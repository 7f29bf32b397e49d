import { maskedHookUrl } from '../listeners/hook-url.js';

/** An answer for a model: hook URLs are capabilities, so only their origins are in it, wherever they are. */
export function shownAnswer(answer: unknown): unknown {
  const urls = new Set<string>();
  collectHookUrls(answer, urls);
  const masks = [...urls]
    .sort((one, other) => other.length - one.length) // one may be the beginning of another
    .map((url) => [url, URL.canParse(url) ? maskedHookUrl(url) : '…'] as const);
  return shown(answer, (text) => masks.reduce((masked, [url, mask]) => masked.replaceAll(url, mask), text));
}

function shown(value: unknown, masked: (text: string) => string): unknown {
  if (typeof value === 'string') return masked(value);
  if (typeof value !== 'object' || value === null || JSON.isRawJSON(value)) return value;
  if (Array.isArray(value)) return value.map((each) => shown(each, masked));
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, shown(part, masked)]));
}

/** Fields of payloads are those of the producers. */
function collectHookUrls(value: unknown, urls: Set<string>): void {
  if (typeof value !== 'object' || value === null || JSON.isRawJSON(value)) return;
  for (const [name, part] of Object.entries(value)) {
    if (name === 'hookUrl' && typeof part === 'string' && part !== '') urls.add(part);
    else if (name !== 'data') collectHookUrls(part, urls);
  }
}
