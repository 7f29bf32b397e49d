import { listeners, type Registration } from '../../../../projections/listeners.js';
import { type PageRequest, pages } from '../../../kernel/pages.js';
import { open, sortable } from '../../../stores/read-model/projection.js';
import type { Condition, FoundDocument, ReadModel } from '../../../stores/read-model/read-model.js';

const pageSize = 1000;

/** Sorts right before `open`: what has ended did so at or before it. */
const lastEnd = `${open.slice(0, -1)}8`;

/**
 * Which registrations an organisation had at this position, the paused ones too: all of them, page by page; one that ends
 * meanwhile may come twice. The view must have passed the position. Throws `StoreUnavailable` where the view has not been
 * built yet.
 */
export async function* registeredAt(
  readModel: ReadModel,
  orgId: string,
  position: bigint,
): AsyncGenerator<readonly Registration[]> {
  const at = sortable(position);
  // First those that still hold: one that ends meanwhile is then found among those that have ended, if not by both. What has
  // been given is not remembered: they can be many, and a delivery that is enqueued again stays what it was.
  for (const until of [open, { above: at, atMost: lastEnd }]) {
    const findPage = (page: PageRequest<string>) => find(readModel, { orgId, until }, page);
    for await (const page of pages(pageSize, findPage, ({ key }) => key)) {
      const held = page.filter(({ registration: { from } }) => from <= at);
      if (held.length > 0) yield held.map(({ registration }) => registration);
    }
  }
}

export type ListenerPage = {
  readonly listeners: readonly Registration[];
  /** Where the next page begins: the `after` to ask for it. Undefined: there is none. */
  readonly next: string | undefined;
};

/** The registrations of an organisation that hold now, be they active or paused; `limit` 1 to 1,000. */
export async function listListeners(
  readModel: ReadModel,
  orgId: string,
  { after, limit = 100 }: { readonly after?: string | undefined; readonly limit?: number | undefined } = {},
): Promise<ListenerPage> {
  const page = await find(readModel, { orgId, until: open }, { after, limit });
  return {
    listeners: page.map(({ registration }) => registration),
    next: page.length < limit ? undefined : page.at(-1)?.key,
  };
}

/** The registration of this ID that holds now, be it active or paused, as far as the view has come. */
export async function standingRegistration(
  readModel: ReadModel,
  listenerId: string,
): Promise<Registration | undefined> {
  const [found] = await find(readModel, { listenerId, until: open }, { limit: 1 });
  return found?.registration;
}

async function find(
  readModel: ReadModel,
  where: Readonly<Record<string, Condition>>,
  { after, limit }: { readonly after?: string | undefined; readonly limit: number },
): Promise<readonly { readonly key: string; readonly registration: Registration }[]> {
  const found = await readModel.find(listeners, { where, limit, ...(after !== undefined && { after }) });
  return found.map(({ key, document }: FoundDocument) => ({ key, registration: document as Registration })); // the projection wrote it
}
