import { randomUUID } from 'node:crypto';
import { redeliverDeliveriesRoute } from '../../../admin/api/contracts/deliveries.js';
import { changeListenerOptionsRoute } from '../../../admin/api/contracts/listener-queries.js';
import {
  pauseListenerRoute,
  resumeListenerRoute,
  rotateListenerSecretRoute,
  unsubscribeListenerRoute,
} from '../../../admin/api/contracts/listeners.js';
import { startReplayRoute } from '../../../admin/api/contracts/replays.js';
import { Card, Copyable } from '../../../site/components/card.js';
import { ActionForm } from '../../../site/components/form.js';
import { numberText, Time } from '../../../site/components/time.js';
import { Notice } from '../../../site/components/tone.js';
import type { Action } from '../../../site/derived/action-settings.js';
import { routeAction } from '../../../site/derived/route-action.js';
import type { PageRequest } from '../../../site/page-request.js';
import type { Site } from '../../../site/page-view.js';
import { isOfAgent, type ListenerDetail, listenerOf, ofListener } from './listener.js';
import { editAction } from './listener-form.js';
import { testAction } from './test-listener.js';

/** Maximum number of the deliveries that wait for their next attempt; the others keep their schedule. */
const madeDue = 1_000;

export type ListenerActions = ReturnType<typeof listenerActions>;

/** Pausing, resuming, trying, changing and removing a listener. */
export function listenerActions(site: Site) {
  const tryNow = routeAction(site, '/listeners/:listenerId/try-now', resumeListenerRoute, {
    ...ofListener,
    label: 'Try now',
    primary: true,
    async runs(at) {
      const { orgId, listenerId } = await listenerOf(at);
      await at.call(resumeListenerRoute, { params: { listenerId }, body: { closeCircuit: true } });
      if (!at.may('operator', 'redeliver')) return;
      const body = { orgId, listenerId, states: ['waiting' as const], limit: madeDue };
      await at.call(redeliverDeliveriesRoute, { body });
    },
    done: 'Waiting deliveries are due now: earlier failures no longer delay them.',
  });
  const pause = routeAction(site, '/listeners/:listenerId/pause', pauseListenerRoute, {
    ...ofListener,
    label: 'Pause',
    done: 'The listener is paused: deliveries to it are held.',
  });
  const resume = routeAction(site, '/listeners/:listenerId/resume', resumeListenerRoute, {
    ...ofListener,
    label: 'Resume',
    primary: true,
    carries: ['redeliverHeld'],
    title: ({ state }) => (state === 'paused' ? 'Resume the listener?' : 'Deliver the held deliveries?'),
    shows: (listener, at) => <Resume at={at} listener={listener} />,
    done: 'The listener is active. Deliveries that were held stay held.',
    answers: (_, __, { redeliverHeld }) => (redeliverHeld === true ? { notice: 'listeners-resume-held' } : undefined),
  });
  site.notices({ 'listeners-resume-held': 'The listener is active, and deliveries that were held are due.' });
  const options = routeAction(site, '/listeners/:listenerId/options', changeListenerOptionsRoute, {
    ...ofListener,
    label: 'Change',
    link: 'Order and rate',
    title: 'Order and rate',
    card: 'Deliveries to the listener',
    fields: {
      ordered: 'One delivery at a time, in the order of the flow events',
      ratePerSecond: {
        label: 'Deliveries a second',
        hint: 'Maximum. Left empty: the limit of the service for each listener.',
      },
    },
    done: 'Order and rate of the listener are changed.',
  });
  const unsubscribe = routeAction(site, '/listeners/:listenerId/unsubscribe', unsubscribeListenerRoute, {
    ...ofListener,
    label: (listener) => (isOfAgent(listener) ? 'Disconnect' : 'Unsubscribe'),
    link: 'Unsubscribe',
    title: (listener) => (isOfAgent(listener) ? 'Disconnect the agent?' : 'Unsubscribe the listener?'),
    danger: true,
    consequences: (listener) => [
      'The listener ends: no delivery to the listener starts any more.',
      'Its waiting and held deliveries are cancelled.',
      isOfAgent(listener)
        ? 'The agent gets nothing, and its host cannot subscribe to the same again, until the user signs in to it again (with an API key: until the end of the subscription). The host is notified.'
        : 'The automation of the user gets nothing until its platform registers the listener again; the platform is notified only if the service is configured for it.',
      'The history of the listener stays.',
    ],
    done: 'The listener is removed: no delivery to it starts any more.',
  });
  const test = testAction(site);
  return {
    tryNow,
    pause,
    resume,
    options,
    unsubscribe,
    test,
    edit: editAction(site),
    replay: replayAction(site),
    rotate: rotateAction(site, test),
  };
}

function Resume({ at, listener: { listenerId, held, state } }: { at: PageRequest; listener: ListenerDetail }) {
  const count = held === 1_000 ? '1,000 or more' : numberText(held);
  return (
    <Card title={held === 1 ? '1 delivery is held' : `${count} deliveries are held`}>
      <p>
        {state === 'paused'
          ? `New flow events are delivered again${held > 0 ? ' in both cases' : ''}. Earlier failures no longer count towards an automatic pause.`
          : 'The listener is active. Deliveries of an earlier pause are still held.'}
      </p>
      <div class="buttons">
        {held > 0 && (
          <ActionForm
            label={state === 'paused' ? 'Resume and deliver held ones' : 'Deliver held ones'}
            hidden={{ redeliverHeld: 'true' }}
            tone="primary"
          />
        )}
        {state === 'paused' && (
          <ActionForm label={held > 0 ? 'Resume, keep them held' : 'Resume'} tone={held > 0 ? 'plain' : 'primary'} />
        )}
        <a class="button" href={at.url(`/listeners/${listenerId}`)}>
          Cancel
        </a>
      </div>
    </Card>
  );
}

/** The form carries the ID of the replay, so that sending it twice starts one. */
const replayAction = (site: Site): Action =>
  routeAction(site, '/listeners/:listenerId/replay', startReplayRoute, {
    ...ofListener,
    label: 'Start the replay',
    link: 'Replay',
    title: 'Replay past flow events',
    lead: ({ hookUrl }) => hookUrl,
    card: 'Flow events to send again',
    fields: {
      id: ({ form }) => <input type="hidden" name="id" value={form.text('id') ?? randomUUID()} />,
      from: { label: 'Recorded from (UTC)', hint: 'Left empty: from the first one.' },
      to: { label: 'Recorded to (UTC)', hint: 'Left empty: up to now.' },
      type: {
        label: 'Type',
        placeholder: ({ subscriptionType }) => subscriptionType,
        hint: 'Such as flow.completed, or flow.*; left empty: the subscription type of the listener.',
      },
      eventId: { label: 'Only the flow event with this ID', hint: 'Instead of a period and a type.' },
      ratePerSecond: { label: 'Deliveries a second', value: () => '50' },
    },
    async sends({ from, to, type, ...fields }, at) {
      const { orgId } = await listenerOf(at);
      return { ...fields, orgId, ...(fields.eventId === undefined && { from, to, type }) };
    },
    done: 'The replay has started.',
    answers: ({ id }, at) => ({ href: at.url(`/replays/${id}`) }),
  });

/** The new secret is shown in the answer to the form only. */
const rotateAction = (site: Site, test: Action): Action =>
  routeAction(site, '/listeners/:listenerId/rotate-secret', rotateListenerSecretRoute, {
    ...ofListener,
    label: 'Rotate the secret',
    link: 'Rotate secret',
    title: 'Rotate the signing secret?',
    consequences: ({ secretVersion }) => [
      `The listener gets version ${secretVersion + 1} of its signing secret, which is shown once.`,
      'Deliveries carry the signatures of both secrets during the overlap. With 0 hours the present secret is revoked at once: a receiver that does not know the new one rejects deliveries.',
    ],
    fields: {
      overlapHours: { label: 'Overlap in hours', required: true },
      replaces: (_, { secretVersion }) => <input type="hidden" name="replaces" value={secretVersion} />,
    },
    answers: (answer, at) => ({
      above: [ofListener.above(at)],
      lead: answer.hookUrl,
      title: 'The signing secret',
      content: (
        <>
          <Notice tone="warn">
            {answer.changed.length === 0 && 'It had been rotated already: nothing changed. '}
            Copy the secret now: it is not shown again.
          </Notice>
          <Card title={`Version ${answer.secretVersion}`}>
            <Copyable text={answer.signingSecret} />
            <p>Its public key verifies the signatures v1a:</p>
            <Copyable text={answer.signingPublicKey} />
            {answer.previousSecretUntil !== null && (
              <p>
                Deliveries are also signed with the previous secret until <Time at={answer.previousSecretUntil} />.
              </p>
            )}
          </Card>
          <p class="buttons">
            {test.button(at, {}, { class: 'primary' })}
            <a class="button" href={at.url(`/listeners/${answer.listenerId}`)}>
              Back to the listener
            </a>
          </p>
        </>
      ),
    }),
  });

/** The buttons of a listener that the caller's role permits, as its state allows. */
export function ActionButtons({
  at,
  listener,
  actions,
}: {
  at: PageRequest;
  listener: ListenerDetail;
  actions: ListenerActions;
}) {
  if (!at.may('operator') || listener.state === 'ended') return null;
  const isActive = listener.state === 'active';
  const { breaker, failingSince, nextAttemptAt } = listener.health;
  const isDelayed = breaker !== 'closed' || (failingSince !== null && nextAttemptAt !== null);
  const isHeld = listener.state === 'paused' || listener.held > 0;
  /** The ID lets a live update leave the focus on its button. */
  const button = (action: Action, name: string, style?: string, label?: string) =>
    action.button(at, {}, { id: `action-${name}`, class: style, label });
  return (
    <>
      {isActive && isDelayed && button(actions.tryNow, 'try-now')}
      {isHeld && button(actions.resume, 'resume', undefined, isActive ? 'Deliver held' : undefined)}
      {isActive && button(actions.test, 'test')}
      {isActive && button(actions.pause, 'pause')}
      {button(actions.edit, 'edit')}
      {button(actions.options, 'options', 'quiet')}
      {isActive && button(actions.replay, 'replay', 'quiet')}
      {!isOfAgent(listener) && button(actions.rotate, 'rotate-secret', 'quiet')}
      {button(actions.unsubscribe, 'unsubscribe', 'quiet danger', isOfAgent(listener) ? 'Disconnect' : undefined)}
    </>
  );
}
