import type { VNode } from 'preact';
import type { AnyAdminRoute } from '../../admin/api/routing/admin-route.js';
import type { RouteAnswer } from '../../http/route-contract.js';
import { Card } from '../components/card.js';
import { ActionForm, Confirm, Form, Submit } from '../components/form.js';
import type { PageRequest, Query } from '../page-request.js';
import type { Link, PageView, Redirect, Site } from '../page-view.js';
import type { Action, ActionSettings, Given } from './action-settings.js';
import { RouteFields, sentFields } from './route-fields.js';

type Declared<Item, Answer> = { path: string; route: AnyAdminRoute; settings: ActionSettings<Item, Answer> };

/** Declares the page of a form, its answer, its notice, and the button that leads there. */
export function routeAction<const Route extends AnyAdminRoute, Item = undefined, Answer = RouteAnswer<Route>>(
  site: Site,
  path: string,
  route: Route,
  settings: ActionSettings<Item, Answer>,
): Action {
  const declared = { path, route, settings };
  const may = (at: PageRequest) => at.may(route.access.role, route.access.action);
  if (settings.title !== undefined) {
    site.form(path, route, async (at) => formPage(declared, at, (await settings.read?.(at)) as Item));
  }
  site.post(path, (at) => answerOf(declared, at), settings.on);
  if (settings.done !== undefined) site.notices({ [noticeOf(path)]: settings.done });
  return {
    may,
    form: (at, item, hidden = {}) => formOf(declared, at, item as Item, hidden),
    button: (at, fields = {}, changes = {}) => (may(at) ? buttonOf(declared, at, fields, changes) : null),
  };
}

/** `/listeners/:listenerId/pause`: listeners-pause. */
const noticeOf = (path: string): string => path.replaceAll(/:\w+/g, '').split('/').filter(Boolean).join('-');

function aboveOf<Item, Answer>({ path, settings }: Declared<Item, Answer>, at: PageRequest, item?: Item): Link {
  return settings.above?.(at, item) ?? { href: at.url(`/${path.split('/')[1]}`), text: '' };
}

/** Names of the fields that a form carries. */
const carriedBy = <Item, Answer>({ path, route, settings }: Declared<Item, Answer>): readonly string[] =>
  [...Object.keys(route.params.shape), ...(settings.carries ?? [])].filter((name) => !path.includes(`:${name}`));

function formPage<Item, Answer>(
  declared: Declared<Item, Answer>,
  at: PageRequest,
  item: Item,
  beside = (form: VNode): VNode => form,
): PageView {
  const { title, lead, shows, card, trail } = declared.settings;
  const carried = carriedBy(declared);
  const hidden = { ...at.query.pick(...carried), ...at.form.pick(...carried) };
  return {
    title: (typeof title === 'function' ? title(item, at) : title) ?? '',
    lead: typeof lead === 'function' ? lead(item) : lead,
    ...(trail && { trail: trail(at) }),
    above: [aboveOf(declared, at, item)].filter(({ text }) => text !== ''),
    content: beside(inCard(card, shows?.(item, at) ?? formOf(declared, at, item, hidden))),
  };
}

function formOf<Item, Answer>(declared: Declared<Item, Answer>, at: PageRequest, item: Item, hidden: Query): VNode {
  const { path, route, settings } = declared;
  const { on, consequences, danger, fields = {} } = settings;
  const label = typeof settings.label === 'function' ? settings.label(item) : settings.label;
  const cancel = aboveOf(declared, at, item).href;
  const action = on === undefined ? undefined : at.url(filled(path, at.params));
  const shows = settings.tries && at.form.entries().length > 0 ? at.form : undefined;
  const props = { action, hidden: hidden as Record<string, string>, once: settings.once, shows };
  const controls = <RouteFields route={route} fields={fields} item={item} at={at} />;
  if (consequences === undefined) {
    return (
      <Form {...props} class={settings.class}>
        {controls}
        {on === undefined ? <Submit label={label} cancel={cancel} /> : <button type="submit">{label}</button>}
        {settings.below?.()}
      </Form>
    );
  }
  const sentences = typeof consequences === 'function' ? consequences(item, at) : consequences;
  return (
    <Confirm {...props} label={label} cancel={cancel} danger={danger} consequences={sentences}>
      {controls}
    </Confirm>
  );
}

async function answerOf<Item, Answer>(declared: Declared<Item, Answer>, at: PageRequest): Promise<PageView | Redirect> {
  const { path, route, settings } = declared;
  const { fields = {}, read, tries, sends, runs, answers, to, done } = settings;
  const sent = { ...at.params, ...sentFields(route, fields, carriedBy(declared), at) };
  const beside = await tries?.(at, sent);
  if (beside) return formPage(declared, at, (await read?.(at)) as Item, beside);
  const given = (await sends?.(sent, at)) ?? sent;
  const answer = await (runs?.(at, given) ?? (at.call(route, requestOf(route, given)) as Promise<Answer>)); // by default of the route
  const shown = answers?.(answer, at, given) ?? {};
  if ('content' in shown) return shown;
  const { href = to === undefined ? aboveOf(declared, at).href : at.url(to), notice = noticeOf(path) } = shown;
  return { redirect: done === undefined ? href : `${href}${href.includes('?') ? '&' : '?'}notice=${notice}` };
}

type ButtonChanges = NonNullable<Parameters<Action['button']>[2]>;

function buttonOf<Item, Answer>(
  { path, settings }: Declared<Item, Answer>,
  at: PageRequest,
  fields: Query,
  changes: ButtonChanges,
): VNode {
  const { label, link = String(label), title, danger, primary } = settings;
  const href = filled(path, { ...at.params, ...fields });
  const rest = Object.fromEntries(Object.entries(fields).filter(([name]) => !path.includes(`:${name}`)));
  const tone = changes.class ?? (danger ? 'danger' : primary ? 'primary' : '');
  const { id, label: text = link } = changes;
  if (title === undefined) {
    const hidden = rest as Record<string, string>;
    return (
      <ActionForm id={id} action={at.url(href)} label={text} hidden={hidden} tone={(tone || 'plain') as 'plain'} />
    );
  }
  return (
    <a id={id} class={`button ${tone}`.trim()} href={at.url(href, rest)}>
      {text}
    </a>
  );
}

function inCard(title: string | undefined, content: VNode): VNode {
  if (title === undefined) return content;
  return title === '' ? <section class="card">{content}</section> : <Card title={title}>{content}</Card>;
}

const filled = (path: string, params: Readonly<Record<string, unknown>>): string =>
  path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(params[name] ?? '')));

/** The request of a route with these fields, each in its part. */
function requestOf<Route extends AnyAdminRoute>({ params, body }: Route, fields: Given) {
  const part = (shape: object) =>
    Object.fromEntries(Object.entries(fields).filter(([name, value]) => name in shape && value !== undefined));
  return { params: part(params.shape), body: part((body as { shape?: object } | undefined)?.shape ?? {}) } as never; // the API checks it
}
