import { STATUS_CODES } from 'node:http';
import { type searchListenersRoute, showListenerRoute } from '../../../admin/api/contracts/listener-queries.js';
import type { RouteAnswer } from '../../../http/route-contract.js';
import { ListenerNotRegistered } from '../../../listeners/queries/deliverable-listener.js';
import { ShownOnce } from '../../../site/components/card.js';
import { Time } from '../../../site/components/time.js';
import { Badge, type Tone } from '../../../site/components/tone.js';
import type { PageRequest } from '../../../site/page-request.js';

type FoundListener = RouteAnswer<typeof searchListenersRoute>['items'][number];
export type ListenerDetail = RouteAnswer<typeof showListenerRoute>;
export type ListenerHealth = ListenerDetail['health'];

export type Status = FoundListener['status'];

type Shown = { status: Status; health: ListenerHealth };

const ended: Partial<Record<Status, string>> = { ended: 'Removed', replaced: 'Replaced' };

/** The state of a listener in one word, the same on all pages. */
export function stateOf({ status, health }: Shown): readonly [tone: Tone, word: string] {
  const end = ended[status];
  if (end !== undefined) return ['neutral', end];
  if (status === 'paused' || status === 'paused-failing') return ['warn', 'Paused'];
  if (health.breaker !== 'closed') return ['bad', 'Circuit open'];
  return health.failingSince === null ? ['good', 'Active'] : ['bad', 'Failing'];
}

export function StateBadge(shown: Shown) {
  const [tone, word] = stateOf(shown);
  return <Badge tone={tone}>{word}</Badge>;
}

export function statusOf({ state, pausedBy }: Pick<ListenerDetail, 'state' | 'pausedBy'>): Status {
  if (state === 'paused') return pausedBy === 'failing' ? 'paused-failing' : 'paused';
  return state;
}

export type Failure = Pick<NonNullable<ListenerHealth['lastFailure']>, 'status' | 'error'>;

/** `503 Service Unavailable`, `connect timeout`. */
export function failureText({ status, error }: Failure): string {
  if (error !== null && error !== 'http_status') return error.replaceAll('_', ' ');
  return status === null ? 'no answer' : `${status} ${STATUS_CODES[status] ?? ''}`.trim();
}

/** Tells whether the host of an agent renews it, and chooses its secret. */
export const isOfAgent = ({ expiresAt }: Pick<FoundListener, 'expiresAt'>): boolean => expiresAt !== undefined;

/** Follows the name of an agent, until when it gets events of a type; nothing for the listener of a platform. */
export const AgentTerm = ({ subscriptionType, expiresAt }: Pick<FoundListener, 'subscriptionType' | 'expiresAt'>) =>
  expiresAt !== undefined && (
    <>
      {' · '}
      {subscriptionType} · until <Time at={expiresAt} />
    </>
  );

/** The listener that the path of a page names. */
export const listenerOf = (at: PageRequest): Promise<ListenerDetail> =>
  at.call(showListenerRoute, { params: { listenerId: at.params.listenerId ?? '' } });

/** Listener for forms that change it. Throws `ListenerNotRegistered` if it has ended. */
async function registeredListenerOf(at: PageRequest): Promise<ListenerDetail> {
  const listener = await listenerOf(at);
  if (listener.state === 'ended') throw new ListenerNotRegistered();
  return listener;
}

/** Keys of a new listener, which this page alone shows, and the way to its own page. */
export const KeysOfNewListener = (props: { at: PageRequest; listenerId: string; keys: readonly string[] }) => (
  <ShownOnce texts={props.keys} href={props.at.url(`/listeners/${props.listenerId}`)} text="To the listener" primary />
);

/** Settings that all actions on a listener have. */
export const ofListener = {
  read: registeredListenerOf,
  above: ({ params, url }: PageRequest) => ({ href: url(`/listeners/${params.listenerId}`), text: 'Listener' }),
  lead: ({ hookUrl }: ListenerDetail) => hookUrl,
};

/** Frame of a page below that of a listener. */
export const frameOf = (at: PageRequest, { hookUrl }: Pick<ListenerDetail, 'hookUrl'>) => ({
  above: [ofListener.above(at)],
  lead: hookUrl,
});
