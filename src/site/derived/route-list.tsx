import type { ComponentChildren, VNode } from 'preact';
import type { AnyAdminRoute } from '../../admin/api/routing/admin-route.js';
import type { RouteAnswer } from '../../http/route-contract.js';
import { Empty, type EmptyProps } from '../components/card.js';
import { FilterBar, Results } from '../components/form.js';
import { type Columns, Pager, Table } from '../components/table.js';
import { utcInstant } from '../fields.js';
import { organisationOf, type PageRequest } from '../page-request.js';
import type { LivePage, PageView, Site } from '../page-view.js';
import { Export, exportPage, type RowsPage } from './export.js';
import { type FormFields, RouteFields, shapeOf } from './route-fields.js';

type ListRoute = AnyAdminRoute & { answer: { schema: { _zod: { output: { items: readonly object[] } } } } };
type ItemOf<Route extends ListRoute> = RouteAnswer<Route> extends { items: readonly (infer Item)[] } ? Item : never;

type OfPage<Value> = (at: PageRequest) => Promise<Value> | Value;

type ListSettings<Route extends ListRoute> = Pick<PageView, 'trail'> & {
  title: string | ((at: PageRequest) => string);
  lead: string;
  /** The fields of the route by which the list is filtered, and parts of the filter that are none. */
  filters?: FormFields<undefined>;
  /** Fields of the filter that must be given: instead of the list, `unchosen` is shown. */
  needs?: readonly string[];
  unchosen?: EmptyProps | OfPage<VNode>;
  /** Other fields of the request, or other values: for the first page, a later one, or one of the file. */
  query?: (at: PageRequest, page: 'first' | 'later' | 'file') => Readonly<Record<string, unknown>>;
  /** Text for screen readers; by default the title. */
  caption?: string | ((at: PageRequest) => string);
  columns: Columns<ItemOf<Route>> | OfPage<Columns<ItemOf<Route>>>;
  keyOf: (item: ItemOf<Route>) => string;
  empty?: EmptyProps | ((at: PageRequest, isLast: boolean) => VNode);
  pageSize?: number;
  actions?: (at: PageRequest, answer: RouteAnswer<Route> | undefined) => ComponentChildren;
  /** Parts of the page above the filter, above the rows, and below the list. */
  above?: (at: PageRequest) => VNode;
  summary?: (at: PageRequest, answer: RouteAnswer<Route>) => ComponentChildren;
  below?: OfPage<VNode | null>;
  live?: Pick<LivePage, 'everyMs' | 'onAppended'>;
  /** The list can be saved as a file: its columns are the fields of the items. */
  isExported?: boolean;
};

/** Items read at once for a file; more than any page shows. */
const fileLimit = 1_000;

/** Declares the page of a list: its filter, its table, and the links to its other pages. */
export function routeList<const Route extends ListRoute>(
  site: Site,
  path: string,
  route: Route,
  settings: ListSettings<Route>,
): undefined {
  const { title, lead, trail, filters, needs = [], unchosen, actions, above, below, isExported } = settings;
  const titleOf = (at: PageRequest) => (typeof title === 'function' ? title(at) : title);
  const isChosen = (at: PageRequest) =>
    needs.every((name) => (name === 'orgId' ? organisationOf(at) : at.query.text(name)) !== undefined);

  if (isExported) {
    const read = async (at: PageRequest, after: string | undefined) =>
      (await readList(route, settings, at, { after, limit: fileLimit })) as RowsPage;
    exportPage(site, path, { route: route as never, read }); // a list of objects
  }
  const listOf = async (at: PageRequest, answer?: RouteAnswer<Route>) =>
    answer ? rowsOf(settings, titleOf(at), at, answer) : ((await shownEmpty(unchosen, at)) ?? <span />);
  const read = async (at: PageRequest) => (isChosen(at) ? readList(route, settings, at) : undefined);
  const live =
    settings.live &&
    site.live(path, { ...settings.live, parts: async (at) => ({ list: await listOf(at, await read(at)) }) });

  site.get(path, async (at): Promise<PageView> => {
    const parts = await live?.(at);
    const answer = parts ? undefined : await read(at);
    const rows = parts ? parts.part('list') : await listOf(at, answer);
    return {
      title: titleOf(at),
      lead,
      ...(trail && { trail }),
      live: parts,
      actions: actions?.(at, answer),
      content: (
        <>
          {above?.(at)}
          {filters && (
            <FilterBar keep={needs.filter((name) => name === 'orgId')}>
              <RouteFields route={route} fields={filters} item={undefined} at={at} isFilter />
            </FilterBar>
          )}
          {filters ? <Results>{rows}</Results> : rows}
          {await below?.(at)}
        </>
      ),
    };
  });
}

/** A page of the list, for the organisation of a caller of one. */
function readList<Route extends ListRoute>(
  route: Route,
  { filters = {}, needs = [], query, pageSize = 50 }: ListSettings<Route>,
  at: PageRequest,
  page: { after: string | undefined; limit: number } = { after: at.query.text('after'), limit: pageSize },
): Promise<RouteAnswer<Route>> {
  const shape = shapeOf(route);
  const filter = filterOf(
    at,
    Object.keys(filters).filter((name) => name in shape),
  );
  const organisation = 'orgId' in shape &&
    (needs.includes('orgId') || at.caller.orgId !== null) && { orgId: organisationOf(at) };
  const { limit, ...fields } = {
    ...filter,
    ...organisation,
    ...('after' in shape && page),
    ...query?.(at, page.limit === fileLimit ? 'file' : page.after === undefined ? 'first' : 'later'),
  };
  const request =
    route.method === 'get'
      ? { query: { ...fields, ...(limit !== undefined && { limit: String(limit) }) } }
      : { body: { ...fields, limit } };
  return at.call(route, request as never); // the API checks it
}

async function rowsOf<Route extends ListRoute>(
  { columns, keyOf, empty, caption, summary, isExported }: ListSettings<Route>,
  title: string,
  at: PageRequest,
  answer: RouteAnswer<Route>,
) {
  const { items, next = null } = answer as { items: readonly ItemOf<Route>[]; next?: string | null };
  return (
    <>
      {summary?.(at, answer)}
      <Table
        caption={(typeof caption === 'function' ? caption(at) : caption) ?? title}
        rows={items}
        keyOf={keyOf}
        columns={typeof columns === 'function' ? await columns(at) : columns}
        empty={await shownEmpty(empty, at, next === null)}
      />
      <Pager next={next} />
      {isExported && <Export />}
    </>
  );
}

/** Texts, or a function that draws. */
function shownEmpty<Parts extends readonly unknown[]>(
  empty: EmptyProps | ((at: PageRequest, ...parts: Parts) => Promise<VNode> | VNode) | undefined,
  at: PageRequest,
  ...parts: Parts
) {
  return typeof empty === 'object' ? <Empty {...empty} /> : empty?.(at, ...parts);
}

/** The fields of a filter as the API takes them; a time without a zone is in UTC. */
export const filterOf = (at: PageRequest, names: readonly string[]): Readonly<Record<string, string | undefined>> =>
  Object.fromEntries(Object.entries(at.query.pick(...names)).map(([name, text]) => [name, utcInstant(text)]));
