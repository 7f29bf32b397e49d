import type { ComponentChildren } from 'preact';
import { shownFields } from '../../../listeners/shown-subscription.js';
import { Card, Copyable, CopyableJson, Facts, Id } from '../../../site/components/card.js';
import { numberText, Time } from '../../../site/components/time.js';
import type { PageRequest } from '../../../site/page-request.js';
import {
  AgentTerm,
  failureText,
  type ListenerDetail,
  type ListenerHealth,
  StateBadge,
  stateOf,
  statusOf,
} from './listener.js';
import { reasonText } from './reason-text.js';

/** One sentence on the state of a listener: since when, why, and what waits. */
export const AnswerCard = ({ at, listener }: { at: PageRequest; listener: ListenerDetail }) => {
  const shown = { status: statusOf(listener), health: listener.health };
  const [tone] = stateOf(shown);
  const { lastFailure } = listener.health;
  return (
    <section class={`card answer ${tone}`}>
      <p>
        <StateBadge {...shown} /> <Sentence at={at} listener={listener} />
      </p>
      {listener.state !== 'ended' && listener.expiresAt !== undefined && (
        <p class="muted">
          {listener.description}
          <AgentTerm {...listener} /> unless its host renews it
        </p>
      )}
      {listener.state !== 'ended' && lastFailure?.answer && (
        <pre class="json" tabindex={0}>
          {lastFailure.answer}
        </pre>
      )}
    </section>
  );
};

function Sentence({ at, listener }: { at: PageRequest; listener: ListenerDetail }) {
  const { state, since, endReason, replacedBy, pausedBy, health, hookUrl } = listener;
  const { failingSince, lastFailure, failures, nextAttemptAt } = health;
  if (state === 'ended') {
    return (
      <>
        since <Time at={since} />
        {endReason !== null && ` (${reasonText(endReason)})`}: nothing is sent to it any more.{' '}
        {replacedBy !== null && <a href={at.url(`/listeners/${replacedBy}`)}>The URL was registered again.</a>}
      </>
    );
  }
  const failure = failingSince !== null && (
    <>
      {lastFailure ? <b>{failureText(lastFailure)}</b> : 'failed attempts'} from {new URL(hookUrl).host},{' '}
      {numberText(failures)} {failures === 1 ? 'attempt' : 'attempts'} in a row
    </>
  );
  return (
    <>
      {state === 'paused' ? (
        <>
          since <Time at={since} /> {pausedBy === 'failing' ? 'by the service' : 'by an operator'}
          {failure && <>: {failure}</>}
        </>
      ) : failure ? (
        <>
          since <Time at={failingSince ?? since} />: {failure}
          {nextAttemptAt !== null && (
            <>
              , next <Time at={nextAttemptAt} relative />
            </>
          )}
        </>
      ) : (
        'Deliveries get through'
      )}
      <Backlog listener={listener} />. <Slowed health={health} now={at.now} />
    </>
  );
}

const Backlog = ({ listener: { waiting, held } }: { listener: ListenerDetail }) => (
  <>
    {waiting > 0 && `, ${numberText(waiting)} waiting`}
    {held > 0 && `, ${held === 1_000 ? '1,000 or more' : numberText(held)} held`}
  </>
);

const Slowed = ({ health: { notBefore, pacePerSecond }, now }: { health: ListenerHealth; now: Date }) => (
  <>
    {notBefore !== null && Date.parse(notBefore) > now.getTime() && (
      <>
        It has asked for no attempts until <Time at={notBefore} />.{' '}
      </>
    )}
    {pacePerSecond !== null && `It accepts about ${pacePerSecond} deliveries a second.`}
  </>
);

/** The subscription of a listener, and who registered it. */
export const SubscriptionCard = ({ at, listener }: { at: PageRequest; listener: ListenerDetail }) => (
  <Card
    title="Subscription"
    actions={listener.state !== 'ended' && <a href={at.url(`/listeners/${listener.listenerId}/try`)}>Try an event</a>}
  >
    <Facts
      facts={{
        ...subscriptionFactsOf(listener),
        Organisation: <Id value={listener.orgId} {...organisationHref(at, listener.orgId)} />,
        'Registered by user': <code>{listener.userId}</code>,
        'First registered': <Time at={listener.firstRegisteredAt} />,
        'Signing secret': (
          <>
            Version {listener.secretVersion}
            {listener.previousSecretUntil !== null && (
              <>
                ; the previous one signs too until <Time at={listener.previousSecretUntil} />
              </>
            )}
            {listener.signedWithKeyPair && listener.state !== 'ended' && (
              <>
                ; v1a is verified with{' '}
                <a href={at.platformUrl(`/listeners/${listener.listenerId}/public-keys`)}>its public keys</a>
              </>
            )}
          </>
        ),
        'Listener ID': <Id value={listener.listenerId} />,
        'Hook URL': <code>{listener.hookUrl}</code>,
      }}
    />
    <ContentFacts details={listener} />
  </Card>
);

const organisationHref = (at: PageRequest, orgId: string) =>
  at.caller.orgId === null ? { href: at.url('/organisations/show', { orgId }) } : {};

/** The short fields of a subscription. */
export const subscriptionFactsOf = (details: object): Readonly<Record<string, ComponentChildren>> =>
  Object.fromEntries(
    shownFields({ ...details })
      .filter(({ isExpression }) => !isExpression)
      .map(({ name, label, text, none }) => [
        label,
        name === 'subscriptionType' ? <code>{text}</code> : (text ?? none),
      ]),
  );

/** The expressions of a subscription: events that a listener selects, and what it makes of them. */
export const ContentFacts = ({ details }: { details: object }) => (
  <dl class="content-facts">
    {shownFields({ ...details })
      .filter(({ isExpression }) => isExpression)
      .map(({ name, label, value, text, none }) => (
        <div key={name}>
          <dt>{label}</dt>
          <dd>
            {typeof value === 'object' && value !== null ? (
              <CopyableJson value={value} />
            ) : text === undefined ? (
              none
            ) : (
              <Copyable text={text} />
            )}
          </dd>
        </div>
      ))}
  </dl>
);
