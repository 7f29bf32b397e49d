import { trySubscriptionRoute } from '../../admin/api/contracts/feed.js';
import { changeListenerOptionsRoute } from '../../admin/api/contracts/listener-queries.js';
import {
  type changedListenerAnswer,
  listListenersRoute,
  pauseListenerRoute,
  resumeListenerRoute,
  rotateListenerSecretRoute,
  testListenerRoute,
  tryListenerRoute,
  unsubscribeListenerRoute,
} from '../../admin/api/contracts/listeners.js';
import type { AnswerOf } from '../../http/route-contract.js';
import { subscriptionColumns } from '../../listeners/shown-subscription.js';
import { UsageError } from '../failure.js';
import { jsonOf } from '../fields.js';
import { counted } from '../output.js';
import type { Subject } from '../route-command.js';

const trials = () => import('../listeners/trials.js');

type Changed = Pick<AnswerOf<typeof changedListenerAnswer>, 'listenerId' | 'state' | 'changed'>;

const says = ({ listenerId, state, changed }: Changed): string =>
  `${listenerId} ${changed.length === 0 ? `is ${state}: nothing changed` : `is ${state} now`}`;

export function addCommands({ add }: Subject): void {
  add('list', listListenersRoute, {
    about: 'lists the current listeners of an organisation, from the view that a running service projects',
    columns: {
      listener: 'listenerId',
      state: 'state',
      ...subscriptionColumns,
      user: 'userId',
      since: 'registeredAt',
      'hook URL': 'hookUrl',
    },
    none: ({ orgId }) => `${orgId} has no listeners`,
  });
  add('pause', pauseListenerRoute, {
    about: 'pauses a listener: it stays registered, and new deliveries to it are held',
    says,
  });
  add('resume', resumeListenerRoute, {
    about: 'delivers to a paused listener again; held deliveries stay held without --redeliver-held',
    texts: {
      redeliverHeld: 'also delivers the held deliveries',
      closeCircuit: 'also of an active listener: closes its circuit breaker',
    },
    says(resumed, { redeliverHeld }) {
      const due = counted(resumed.redelivered, 'held delivery is', 'held deliveries are');
      const how = redeliverHeld ? 'more may become due' : 'more may be held';
      const more = resumed.moreMayCome ? `; ${how}: the fan-out has not reached the end of the pause yet` : '';
      return `${says(resumed)}; ${due} due now, ${counted(resumed.held, 'stays', 'stay')} held${more}`;
    },
  });
  add('options', changeListenerOptionsRoute, {
    about: 'changes order and rate of a listener, active or paused',
    send(given) {
      if (given.ordered === undefined && given.ratePerSecond === undefined)
        throw new UsageError('give an option to change: --ordered, --no-ordered or --rate');
      return given;
    },
    says,
  });
  add('rotate-secret', rotateListenerSecretRoute, {
    about: 'gives a listener its next signing secret, and prints it',
    texts: {
      overlapHours: 'time in which the previous secret signs deliveries too; 0 revokes it at once',
      replaces: 'the version of the secret to replace; changes nothing if it was replaced already',
    },
    says({ listenerId, secretVersion, previousSecretUntil, signingSecret, signingPublicKey, changed }) {
      const which =
        changed.length === 0
          ? `nothing changed: the secret of ${listenerId} is version ${secretVersion} already`
          : `the secret of ${listenerId} is version ${secretVersion} now`;
      const overlap = previousSecretUntil === null ? '' : `; the previous one signs too until ${previousSecretUntil}`;
      return `${which}: ${signingSecret}${overlap}; the public key for v1a is ${signingPublicKey}`;
    },
  });
  add('unsubscribe', unsubscribeListenerRoute, {
    about: 'removes a listener: no delivery to it starts afterwards',
    says,
  });
  add('test', testListenerRoute, {
    about: 'makes a running service send a listener a sample flow event of its subscription type, and shows the result',
    runs: async (given, context) => (await trials()).testListener(given, context),
  });
  add('try', tryListenerRoute, {
    about: 'shows what a listener would receive of an event, after its filter and transformation; sends nothing',
    texts: { event: null },
    flags: {
      '--type <type>': 'the type of the event, such as flow.completed',
      '--data <json>': 'the data of the event: JSON; @file reads a file, - standard input; without it {}',
      '--id <id>': 'the event’s id',
    },
    send: ({ type, data = '{}', id, ...given }) => ({
      ...given,
      event: { type, data: jsonOf('--data', `${data}`), id },
    }),
    says: ({ sent, body, because }) => (sent ? JSON.stringify(body) : `nothing would be sent: ${because}`),
  });
  add('try-subscription', trySubscriptionRoute, {
    about: 'counts the events of the last days that a listener with this subscription would get; sends nothing',
    args: { orgId: 'organisation' },
    texts: {
      subscriptionType: 'which events: a type, a prefix such as order.*, or *',
      filter: 'the filter as JSON; without it, all events of the type',
      transform: 'the transformation; without it, each event as it is',
    },
    runs: async (given, context) => (await trials()).trySubscription(given, context),
  });
}
