import { type searchListenersRoute, showListenerRoute } from '../../../admin/api/contracts/listener-queries.js';
import type { RouteAnswer } from '../../../http/route-contract.js';
import { Time } from '../../components/time.js';
import { Badge, type Tone } from '../../components/tone.js';
import type { PageRequest } from '../../page-request.js';
import type { PageView } from '../../page-view.js';

type FoundListener = RouteAnswer<typeof searchListenersRoute>['items'][number];
export type ListenerDetail = RouteAnswer<typeof showListenerRoute>;
export type ListenerHealth = ListenerDetail['health'];

type Status = FoundListener['status'];

const statuses: Readonly<Record<Status, readonly [tone: Tone, text: string]>> = {
  active: ['good', 'Active'],
  failing: ['bad', 'Failing'],
  paused: ['warn', 'Paused'],
  'paused-failing': ['bad', 'Paused: failing'],
  replaced: ['neutral', 'Replaced'],
  ended: ['neutral', 'Removed'],
};

/** The state of a listener: a colour and a word. */
export const StatusBadge = ({ status }: { readonly status: Status }) => {
  const [tone, text] = statuses[status];
  return <Badge tone={tone}>{text}</Badge>;
};

export function statusOf({ state, pausedBy }: Pick<ListenerDetail, 'state' | 'pausedBy'>): Status {
  if (state === 'paused') return pausedBy === 'failing' ? 'paused-failing' : 'paused';
  return state;
}

/** The health of a listener: healthy, or what keeps deliveries back. */
export function HealthBadge({ health }: { readonly health: ListenerHealth }) {
  const { breaker, failingSince, notBefore, pacePerSecond } = health;
  if (breaker !== 'closed') return <Badge tone="bad">{breaker === 'open' ? 'Circuit open' : 'Circuit probing'}</Badge>;
  if (failingSince !== null) return <Badge tone="bad">Failing</Badge>;
  if (notBefore !== null && Date.parse(notBefore) > Date.now()) return <Badge tone="warn">Asked to wait</Badge>;
  if (pacePerSecond !== null) return <Badge tone="warn">Slowed down</Badge>;
  return <Badge tone="good">Healthy</Badge>;
}

/** The health in sentences. */
export function HealthText({ health }: { readonly health: ListenerHealth }) {
  const { breaker, openUntil, failingSince, failures, notBefore, pacePerSecond } = health;
  const waits = notBefore !== null && Date.parse(notBefore) > Date.now();
  return (
    <>
      <HealthBadge health={health} />{' '}
      {breaker === 'open' && openUntil !== null && (
        <>
          The circuit breaker keeps deliveries back until <Time at={openUntil} />.{' '}
        </>
      )}
      {breaker === 'probing' && <>One attempt is under way: it decides whether the circuit breaker closes. </>}
      {failingSince !== null && (
        <>
          All {failures} attempts since <Time at={failingSince} /> have failed.{' '}
        </>
      )}
      {waits && (
        <>
          The listener has asked for no attempts until <Time at={notBefore} />.{' '}
        </>
      )}
      {pacePerSecond !== null && <>It accepts about {pacePerSecond} deliveries a second.</>}
    </>
  );
}

/** The listener that the path of a page names. */
export const listenerOf = (at: PageRequest): Promise<ListenerDetail> =>
  at.call(showListenerRoute, { params: { listenerId: at.params.listenerId ?? '' } });

export const trail = (at: PageRequest) => [{ href: at.url('/listeners'), text: 'Listeners' }];

/** Of a page below that of a listener. */
export const frameOf = (
  at: PageRequest,
  { listenerId, hookUrl }: Pick<ListenerDetail, 'listenerId' | 'hookUrl'>,
): Pick<PageView, 'section' | 'trail' | 'lead'> => ({
  section: '/listeners',
  trail: [...trail(at), { href: at.url(`/listeners/${listenerId}`), text: 'Listener' }],
  lead: hookUrl,
});
