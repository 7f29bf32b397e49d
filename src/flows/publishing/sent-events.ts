import type { z } from 'zod';
import { parsedJson } from '../../http/body.js';
import { PayloadTooLarge } from '../../http/errors.js';
import { InvalidRequest } from '../../kernel/domain-error.js';
import { parseInput } from '../../kernel/input/parse-input.js';
import { publishRequest } from '../contract.js';
import type { PublishFlowEvent } from '../publish-flow-event.js';
import { flowEventOf } from './cloud-event.js';

export const maxBatchEvents = 1_000;

export type SentEvent = PublishFlowEvent & { orgId?: string };

export type BatchItem = {
  /** Number from 1. */
  line?: number;
  /** Throws `InvalidRequest`. */
  parse: () => SentEvent;
  /** Undefined if missing or not a string. */
  id: string | undefined;
};

const parseEvent = (json: unknown): z.output<typeof publishRequest> => parseInput(publishRequest, json);

/** Throws `InvalidRequest` if the whole body is malformed, and `PayloadTooLarge` for too many events. */
export function batchItems(
  text: string,
  format: 'event list' | 'event lines' | 'CloudEvent list',
): readonly BatchItem[] {
  if (format === 'event lines') return itemsOfLines(text);
  const list = parsedJson(text, 'the body');
  if (!Array.isArray(list)) throw new InvalidRequest('send a JSON array of events');
  requireSize(list.length);
  const parse = format === 'event list' ? parseEvent : flowEventOf;
  return list.map((json: unknown) => ({ id: idIn(json), parse: () => parse(json) }));
}

function itemsOfLines(text: string): readonly BatchItem[] {
  const filled: { line: number; content: string }[] = [];
  let events = 0;
  for (const [line, content] of linesOf(text)) {
    if (content.trim() === '') continue;
    events += 1;
    if (events <= maxBatchEvents) filled.push({ line, content });
  }
  requireSize(events);
  return filled.map(({ content, line }) => {
    try {
      const json = parsedJson(content, `line ${line}`);
      return { line, id: idIn(json), parse: () => parseEvent(json) };
    } catch (error) {
      return { line, id: undefined, parse: () => refuse(error) };
    }
  });
}

/** Non-empty lines, numbered from 1; lazy, because a body may have millions. */
function* linesOf(text: string): Generator<readonly [number, string]> {
  let from = 0;
  for (let line = 1; from < text.length; line += 1) {
    const found = text.indexOf('\n', from);
    const to = found === -1 ? text.length : found;
    if (to > from) yield [line, text.slice(from, to)];
    from = to + 1;
  }
}

const refuse = (error: unknown): never => {
  throw error;
};

function requireSize(events: number): void {
  if (events > maxBatchEvents)
    throw new PayloadTooLarge(`the batch has ${events} events, over the limit of ${maxBatchEvents}`);
}

function idIn(json: unknown): string | undefined {
  if (typeof json !== 'object' || json === null || !('id' in json)) return undefined;
  return typeof json.id === 'string' ? json.id : undefined;
}
