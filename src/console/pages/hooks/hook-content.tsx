import { Card, Copyable, CopyableJson } from '../../components/card.js';
import type { PageRequest } from '../../page-request.js';
import type { HookDetail } from './hook-state.js';

type Content = Pick<HookDetail, 'filter' | 'transform'>;

/** Which events a registration selects, and what it makes of them. */
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

/** Filter and transformation of a hook, with a link to the page that tries them. */
export const ContentCard = ({ at, hook }: { readonly at: PageRequest; readonly hook: HookDetail }) => (
  <Card
    title="What it gets"
    actions={hook.state !== 'ended' && <a href={at.url(`/hooks/${hook.listenerId}/try`)}>Try an event</a>}
  >
    <ContentFacts {...hook} />
  </Card>
);
