import type { Client } from 'openapi-fetch';
import type { paths } from '../api.js';
import { dataOf, pageOf } from './answers.js';
import { checkedOptions, type FlowHooksOptions } from './options.js';
import { itemsOf } from './pages.js';
import { type Publisher, publishAll, publishOne } from './publish.js';
import { routesOf } from './routes.js';
import { pause, type Send, sender } from './send.js';
import type {
  CallOptions,
  CancelledReplay,
  Credentials,
  Delivery,
  DeliveryQuery,
  Explained,
  ExplainRequest,
  FlowEventQuery,
  ListedFlowEvent,
  Listener,
  ListenerAddress,
  ListenerQuery,
  ListOptions,
  NewFlowEvent,
  NewListener,
  Published,
  PublishResult,
  Replay,
  ReplayRequest,
  SubscribedListener,
  WaitOptions,
} from './types.js';

/** Maximum size of the pages of an explanation. */
const explainedPage = 1_000;

/**
 * Client of a Flow Hooks service. Its methods repeat requests that fail for a time (connection errors, timeouts, 408, 425, 429, 5xx) and
 * reject with `FlowHooksError`.
 */
export class FlowHooks {
  /**
   * All routes, as openapi-fetch serves them: `const { data, error, response } = await api.GET('/admin/api/replays')`. Errors of the
   * service are answers here. Requests with GET are repeated, others are sent once.
   */
  readonly api: Client<paths>;
  readonly #repeatedly: Send;
  readonly #publisher: Publisher;

  /** Throws `FlowHooksError` with the code `invalid_option`. */
  constructor(options: FlowHooksOptions) {
    const connection = checkedOptions(options);
    const { once, repeatedly } = sender(connection);
    const fetch: Send = (request) => (request.method === 'GET' ? repeatedly(request) : once(request));
    this.api = routesOf(connection.baseUrl, fetch);
    this.#repeatedly = (request) => repeatedly(request);
    this.#publisher = { api: this.api, repeatedly };
  }

  /** Publishes a flow event; resolves once it is durable. All attempts have the same id. */
  publish(event: NewFlowEvent, options: CallOptions = {}): Promise<Published> {
    return publishOne(this.#publisher, event, options);
  }

  /**
   * Publishes any number of flow events, in requests of at most 1,000 events and 4 MB, one after the other. Resolves with a result for each
   * event, in order; a rejected one is refused for good. An error has the results so far. Nothing is sent if an event is larger than a
   * request may be.
   */
  publishBatch(events: Iterable<NewFlowEvent>, options: CallOptions = {}): Promise<readonly PublishResult[]> {
    return publishAll(this.#publisher, events, options);
  }

  /** Facts of the key: the caller, the organisation (null: all), and the scopes. */
  whoami(options: CallOptions = {}): Promise<Credentials> {
    return dataOf(this.api.GET('/whoami', options), 'actor', 'scopes');
  }

  /**
   * Registers a listener, to which the flow events of its subscription are delivered; the answer has its signing secret. The same again
   * changes nothing, and another subscription of the hook URL replaces the one before. For access tokens and API keys.
   */
  subscribe({ orgId, userId, ...body }: NewListener, options: CallOptions = {}): Promise<SubscribedListener> {
    const init = { ...options, params: { header: headersOf({ orgid: orgId, userid: userId }) }, body };
    const request = this.api.POST('/api/hooks/subscribe/flows', { ...init, fetch: this.#repeatedly });
    return dataOf(request, 'listenerId', 'signingSecret');
  }

  /** Removes the listener of a hook URL: once this resolves, no delivery to it starts. A listener that is removed already is no error. */
  async unsubscribe({ orgId, userId, ...body }: ListenerAddress, options: CallOptions = {}): Promise<void> {
    const init = { ...options, params: { header: headersOf({ orgid: orgId, userid: userId }) }, body };
    await dataOf(this.api.POST('/api/hooks/unsubscribe/flows', { ...init, fetch: this.#repeatedly }), 'success');
  }

  /** The deliveries of an organisation, those of the latest flow events first. */
  listDeliveries(query: DeliveryQuery, options: ListOptions = {}): AsyncGenerator<Delivery, void, undefined> {
    const { paging, ...rest } = pagingOf(options);
    return itemsOf((after) =>
      pageOf(this.api.GET('/admin/api/deliveries', { ...rest, params: { query: { ...query, ...paging(after) } } })),
    );
  }

  /** The flow events of an organisation, the latest first. */
  listFlowEvents(query: FlowEventQuery, options: ListOptions = {}): AsyncGenerator<ListedFlowEvent, void, undefined> {
    const { paging, ...rest } = pagingOf(options);
    return itemsOf((after) =>
      pageOf(this.api.GET('/admin/api/flows', { ...rest, params: { query: { ...query, ...paging(after) } } })),
    );
  }

  /** The listeners of an organisation, active and paused. */
  listListeners(query: ListenerQuery, options: ListOptions = {}): AsyncGenerator<Listener, void, undefined> {
    const { paging, ...rest } = pagingOf(options);
    return itemsOf((after) =>
      pageOf(this.api.GET('/admin/api/listeners', { ...rest, params: { query: { ...query, ...paging(after) } } })),
    );
  }

  /** Outcome of a flow event for each listener of the organisation, or for the named one, with the reason. */
  async explain({ eventId, ...request }: ExplainRequest, options: CallOptions = {}): Promise<Explained> {
    const init = { ...options, params: { path: { eventId } }, fetch: this.#repeatedly };
    const explain = (after?: string) => {
      const body = { ...request, limit: explainedPage, ...(after !== undefined && { after }) };
      return pageOf(this.api.POST('/admin/api/flows/{eventId}/explain', { ...init, body }), 'event');
    };
    const { event, items, next } = await explain();
    for (let after = next; after !== null; ) {
      const page = await explain(after);
      items.push(...page.items);
      after = page.next;
    }
    return { event, items };
  }

  /**
   * Sends past flow events to one listener again. Resolves as soon as the replay is started: `waitForReplay` waits for its end. A repeat with
   * the same id starts no second one.
   */
  replay(request: ReplayRequest, options: CallOptions = {}): Promise<Replay> {
    const body = { ...request, id: request.id ?? crypto.randomUUID() };
    return dataOf(this.api.POST('/admin/api/replays', { ...options, body, fetch: this.#repeatedly }), 'id');
  }

  /**
   * Resolves once the replay is completed, which means that all its deliveries are in the queue; or cancelled, by an operator or because
   * the listener was removed.
   */
  async waitForReplay(id: string, options: WaitOptions = {}): Promise<Replay> {
    const { pollMs = 1_000, onProgress, ...rest } = options;
    for (;;) {
      const replay = await dataOf(
        this.api.GET('/admin/api/replays/{id}', { ...rest, params: { path: { id } } }),
        'state',
      );
      onProgress?.(replay);
      if (replay.state !== 'running') return replay;
      await pause(pollMs, options.signal);
    }
  }

  /** Cancels a replay, and those of its deliveries that wait. A repeat changes nothing. */
  cancelReplay(id: string, options: CallOptions = {}): Promise<CancelledReplay> {
    const init = { ...options, params: { path: { id } }, fetch: this.#repeatedly };
    return dataOf(this.api.POST('/admin/api/replays/{id}/cancel', init), 'state');
  }
}

/** Headers that are given. */
const headersOf = (
  ids: Readonly<Record<'orgid' | 'userid', string | undefined>>,
): { orgid?: string; userid?: string } =>
  Object.fromEntries(Object.entries(ids).filter(([, value]) => value !== undefined));

const pagingOf = ({ pageSize: limit = 100, ...options }: ListOptions) => ({
  ...options,
  paging: (after: string | undefined) => ({ limit, ...(after !== undefined && { after }) }),
});
