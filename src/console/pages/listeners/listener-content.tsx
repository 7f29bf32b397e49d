import { shownFields } from '../../../listeners/subscription.js';
import { Card, Copyable, CopyableJson } from '../../components/card.js';
import type { Fact } from '../../components/facts.js';
import type { PageRequest } from '../../page-request.js';
import type { ListenerDetail } from './listener-state.js';

/** The short fields of a subscription. */
export const subscriptionFactsOf = (details: object): readonly Fact[] =>
  shownFields({ ...details })
    .filter(({ isExpression }) => !isExpression)
    .map(({ name, label, text, none }) => [
      label,
      name === 'subscriptionType' ? <code key={name}>{text}</code> : (text ?? none),
    ]);

/** The expressions of a subscription: events that a listener selects, and what it makes of them. */
export const ContentFacts = ({ details }: { readonly details: object }) => (
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

/** Filter and transformation of a listener, with a link to the page that tries them. */
export const ContentCard = ({ at, listener }: { readonly at: PageRequest; readonly listener: ListenerDetail }) => (
  <Card
    title="What it gets"
    actions={listener.state !== 'ended' && <a href={at.url(`/listeners/${listener.listenerId}/try`)}>Try an event</a>}
  >
    <ContentFacts details={listener} />
  </Card>
);
