import { Card, Copyable, CopyableJson } from '../../components/card.js';
import type { PageRequest } from '../../page-request.js';
import type { ListenerDetail } from './listener-state.js';

type Content = Pick<ListenerDetail, 'filter' | 'transform'>;

/** Which events a listener selects, and what it makes of them. */
export const ContentFacts = ({ filter, transform }: Content) => (
  <dl class="content-facts">
    <div>
      <dt>Filter</dt>
      <dd>{filter === null ? 'None: all events of the subscription type' : <CopyableJson value={filter} />}</dd>
    </div>
    <div>
      <dt>Transformation (JSONata)</dt>
      <dd>{transform === null ? 'None: each event as it is' : <Copyable text={transform} />}</dd>
    </div>
  </dl>
);

/** Filter and transformation of a listener, with a link to the page that tries them. */
export const ContentCard = ({ at, listener }: { readonly at: PageRequest; readonly listener: ListenerDetail }) => (
  <Card
    title="What it gets"
    actions={listener.state !== 'ended' && <a href={at.url(`/listeners/${listener.listenerId}/try`)}>Try an event</a>}
  >
    <ContentFacts {...listener} />
  </Card>
);
