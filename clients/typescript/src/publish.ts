import type { Client } from 'openapi-fetch';
import type { paths } from '../api.js';
import { answerOf } from './answers.js';
import { FlowHooksError, withResults } from './errors.js';
import { unexpected } from './routes.js';
import type { Attempts, Send } from './send.js';
import { type BatchLimits, batchLimits, fitsAlone, splitBatches } from './split-batches.js';
import type { CallOptions, NewFlowEvent, Published, PublishResult } from './types.js';

export type Publisher = {
  readonly api: Client<paths>;
  /** Publishing is idempotent by the ids of the events. */
  readonly repeatedly: (request: Request, attempts: Attempts) => Promise<Response>;
};

/** An event as each attempt sends it. `bytes`: size of the JSON. */
type Prepared = { readonly id: string; readonly event: NewFlowEvent; readonly json: string; readonly bytes: number };

type Result = PublishResult & { readonly status: 'accepted' | 'rejected' };

const notRecorded = ({ id }: Prepared): PublishResult => ({ status: 'not_recorded', id });
const unknown = ({ id }: Prepared): PublishResult => ({ status: 'unknown', id });

/** Sends a request that publishes events. An error has what is known of these. */
async function sending<Answer>(
  { repeatedly }: Publisher,
  events: readonly Prepared[],
  request: (fetch: Send) => Promise<Answer>,
): Promise<Answer> {
  const attempts = { made: 0, refused: 0 };
  try {
    return await request((each) => repeatedly(each, attempts));
  } catch (error) {
    if (attempts.made === 0) throw error;
    throw withResults(error, events.map(attempts.refused === attempts.made ? notRecorded : unknown));
  }
}

export async function publishOne(
  publisher: Publisher,
  newEvent: NewFlowEvent,
  options: CallOptions,
): Promise<Published> {
  const prepared = prepare(newEvent, 'the event');
  const { event: body, json } = prepared;
  return sending(publisher, [prepared], async (fetch) => {
    const request = publisher.api.POST('/api/flows', { ...options, fetch, body, bodySerializer: () => json });
    const { data, response } = await answerOf(request);
    if (!('id' in data)) throw unexpected(response);
    const warning = response.headers.get('flow-hooks-warning');
    return { id: data.id, ...(warning !== null && { warning }) };
  });
}

export async function publishAll(
  publisher: Publisher,
  events: Iterable<NewFlowEvent>,
  options: CallOptions,
): Promise<readonly PublishResult[]> {
  const prepared = Array.from(events, (event, index) => prepareForBatch(event, index, batchLimits));
  const results: PublishResult[] = [];
  try {
    for (const batch of splitBatches(prepared, batchLimits)) {
      for await (const result of resultsOf(publisher, batch, options)) results.push(result);
    }
  } catch (error) {
    const ofRequest = (error instanceof FlowHooksError && error.results) || [];
    const known = [...results, ...ofRequest];
    if (known.length === 0) throw error;
    throw withResults(error, [...known, ...prepared.slice(known.length).map(notRecorded)]);
  }
  return results;
}

/** Publishes a batch; in smaller ones if it is too large for a proxy, or for the limit of an organisation. */
async function* resultsOf(
  publisher: Publisher,
  batch: readonly Prepared[],
  options: CallOptions,
): AsyncGenerator<Result, void, undefined> {
  try {
    yield* await publishBatch(publisher, batch, options);
  } catch (error) {
    if (!(error instanceof FlowHooksError) || error.status !== 413) throw error;
    const [first] = batch;
    if (batch.length === 1 && first) {
      yield { status: 'rejected', id: first.id, error: error.code, message: error.message };
      return;
    }
    const middle = Math.ceil(batch.length / 2);
    yield* resultsOf(publisher, batch.slice(0, middle), options);
    yield* resultsOf(publisher, batch.slice(middle), options);
  }
}

const isResult = (result: unknown): boolean => typeof result === 'object' && result !== null && 'status' in result;

function publishBatch(
  publisher: Publisher,
  batch: readonly Prepared[],
  options: CallOptions,
): Promise<readonly Result[]> {
  const body = batch.map(({ event }) => event);
  const bodySerializer = () => `[${batch.map(({ json }) => json).join(',')}]`;
  return sending(publisher, batch, async (fetch) => {
    const request = publisher.api.POST('/api/flows/batch', { ...options, fetch, body, bodySerializer });
    const { data, response } = await answerOf(request);
    const { results } = data;
    if (results?.length !== batch.length || !results.every(isResult)) throw unexpected(response);
    // One for each event, in order; `line` is undefined: this is no newline-delimited JSON.
    return results.map((result, index) => ({ ...result, id: batch[index]?.id ?? '' }));
  });
}

/** Throws `invalid_event`, which names the event, if there is no JSON of it. */
function prepare(newEvent: NewFlowEvent, name: string): Prepared {
  const id = newEvent.id ?? crypto.randomUUID();
  const event = { ...newEvent, id };
  try {
    const json = JSON.stringify(event);
    return { id, event, json, bytes: new TextEncoder().encode(json).length };
  } catch (cause) {
    throw new FlowHooksError(`${name} cannot be written as JSON`, { code: 'invalid_event', cause });
  }
}

/** Throws `payload_too_large`, which names the event, if it is larger than a whole batch. */
function prepareForBatch(newEvent: NewFlowEvent, index: number, limits: BatchLimits): Prepared {
  const name = `the event at index ${index}`;
  const prepared = prepare(newEvent, name);
  if (!fitsAlone(prepared.bytes, limits))
    throw new FlowHooksError(`${name} has ${prepared.bytes} bytes as JSON, more than a batch may have`, {
      code: 'payload_too_large',
    });
  return prepared;
}
