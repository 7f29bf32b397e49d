import { opaqueId } from '../kernel/input/texts.js';

/** The reason why the data of an event are no flow event. EventStoreDB's client returns JSON that it cannot parse as text. */
export function undecodableReason(data: unknown): string {
  if (data === undefined) return 'its content type is not application/json';
  if (typeof data === 'string') return reasonOfText(data);
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return 'its data is not a JSON object';
  const { orgId } = data as { orgId?: unknown };
  if (orgId === undefined || orgId === null) return 'its data has no orgId';
  if (!opaqueId.safeParse(orgId).success) return 'the orgId in its data is not a text of 1 to 256 printable characters';
  return 'the occurredAt in its data is not a time: ISO 8601 with an offset';
}

function reasonOfText(text: string): string {
  if (text.trim() === '') return 'its data is empty';
  if (text.startsWith('\uFEFF')) return 'its data begins with a byte order mark, which JSON must not';
  if (isJson(text)) return 'its data is a JSON string, probably of an object that was serialised twice';
  if (!/^\s*[{[]/.test(text)) return 'its data is not a JSON object';
  const number = /[:[,]\s*(NaN|-?Infinity)\b/.exec(text)?.[1];
  return `its data is not valid JSON${number === undefined ? '' : `: JSON has no ${number}`}`;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
