import type { ComponentChildren, VNode } from 'preact';
import type { AnyAdminRoute } from '../../admin/api/routing/admin-route.js';
import type { RouteAnswer } from '../../http/route-contract.js';
import { FilterBar, Results } from '../components/form.js';
import { type Columns, Pager, Table } from '../components/table.js';
import { utcInstant } from '../fields.js';
import { organisationOf, type PageRequest } from '../page-request.js';
import type { LivePage, PageView, Site } from '../page-view.js';
import { Export, exportPage, type RowsPage } from './export.js';
import { type FormFields, RouteFields, shapeOf } from './route-fields.js';

type ListRoute = AnyAdminRoute & { answer: { schema: { _zod: { output: { items: readonly object[] } } } } };
type ItemOf<Route extends ListRoute> = RouteAnswer<Route> extends { items: readonly (infer Item)[] } ? Item : never;

type ListSettings<Route extends ListRoute> = {
  title: string;
  lead: string;
  /** The fields of the route by which the list is filtered, and parts of the filter that are none. */
  filters?: FormFields<undefined>;
  /** Fields that the page sends always. */
  query?: Readonly<Record<string, string>>;
  /** Text for screen readers; by default the title. */
  caption?: string;
  columns: Columns<ItemOf<Route>> | ((at: PageRequest) => Columns<ItemOf<Route>>);
  keyOf: (item: ItemOf<Route>) => string;
  empty?: (at: PageRequest, isLast: boolean) => ComponentChildren;
  pageSize?: number;
  actions?: (at: PageRequest, answer: RouteAnswer<Route>) => ComponentChildren;
  /** More of the page, below the list. */
  below?: (at: PageRequest) => Promise<VNode | null> | VNode | null;
  live?: Pick<LivePage, 'everyMs' | 'onAppended'>;
  /** The list is of one organisation: shown before one is chosen. */
  unchosen?: VNode;
  /** The list can be saved as a file: its columns are the fields of the items. */
  isExported?: boolean;
};

/** Declares the page of a list: its filter, its table, and the links to its other pages. */
export function routeList<const Route extends ListRoute>(
  site: Site,
  path: string,
  route: Route,
  settings: ListSettings<Route>,
): undefined {
  const { title, lead, filters, columns, keyOf, empty, caption = title, actions, below } = settings;

  const shape = shapeOf(route);
  const firstPage = (at: PageRequest) => ({ after: at.query.text('after'), limit: settings.pageSize ?? 50 });
  const isOfOne = settings.unchosen !== undefined;

  async function read(at: PageRequest, page = firstPage(at)): Promise<RouteAnswer<Route>> {
    const paged = 'after' in shape ? page : {};
    const filter = filterOf(
      at,
      Object.keys(filters ?? {}).filter((name) => name in shape),
    );
    const organisation = 'orgId' in shape && (isOfOne || at.caller.orgId !== null) && { orgId: organisationOf(at) };
    return at.call(route, requestOf(route, { ...settings.query, ...filter, ...organisation, ...paged }));
  }

  const table = (at: PageRequest, answer: RouteAnswer<Route>) => {
    const { items, next = null } = answer as { items: readonly ItemOf<Route>[]; next?: string | null };
    return (
      <>
        <Table
          caption={caption}
          rows={items}
          keyOf={keyOf}
          columns={typeof columns === 'function' ? columns(at) : columns}
          empty={empty?.(at, next === null)}
        />
        <Pager next={next} />
        {settings.isExported && <Export />}
      </>
    );
  };

  if (settings.isExported) {
    exportPage(site, path, {
      route: route as never, // a list of objects
      read: async (at, after) => (await read(at, { after, limit: 1_000 })) as RowsPage,
    });
  }

  const rowsOf = async (at: PageRequest) =>
    settings.unchosen && organisationOf(at) === undefined ? settings.unchosen : table(at, await read(at));
  const live =
    settings.live && site.live(path, { ...settings.live, parts: async (at) => ({ list: await rowsOf(at) }) });

  site.get(path, async (at): Promise<PageView> => {
    const parts = await live?.(at);
    const answer = parts ? undefined : await read(at);
    const rows = parts ? parts.part('list') : table(at, answer as RouteAnswer<Route>);
    return {
      title,
      lead,
      live: parts,
      actions: actions?.(at, answer as RouteAnswer<Route>),
      content: (
        <>
          {filters ? (
            <>
              <FilterBar keep={isOfOne ? ['orgId'] : []}>
                <RouteFields route={route} fields={filters} item={undefined} at={at} isFilter />
              </FilterBar>
              <Results>{rows}</Results>
            </>
          ) : (
            rows
          )}
          {await below?.(at)}
        </>
      ),
    };
  });
}

/** The fields of a filter as the API takes them; a time without a zone is in UTC. */
export const filterOf = (at: PageRequest, names: readonly string[]): Readonly<Record<string, string | undefined>> =>
  Object.fromEntries(Object.entries(at.query.pick(...names)).map(([name, text]) => [name, utcInstant(text)]));

const requestOf = ({ method }: AnyAdminRoute, { limit, ...fields }: Readonly<Record<string, unknown>>) =>
  (method === 'get'
    ? { query: { ...fields, ...(limit !== undefined && { limit: String(limit) }) } }
    : { body: { ...fields, ...(limit !== undefined && { limit }) } }) as never; // the API checks it
