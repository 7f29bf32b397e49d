import type { ComponentChildren, VNode } from 'preact';
import type { AnyAdminRoute } from '../../admin/api/routing/admin-route.js';
import type { RouteAnswer } from '../../http/route-contract.js';
import { Card } from '../components/card.js';
import { ActionForm, Confirm, Form, Submit } from '../components/form.js';
import type { PageRequest, Query } from '../page-request.js';
import type { Link, NoticeText, PageView, Redirect, Site } from '../page-view.js';
import { type FormFields, RouteFields, sentFields } from './route-fields.js';

type Given = Readonly<Record<string, unknown>>;

/** An action of operators: a route, and what its pages say beside the contract. */
type ActionSettings<Item, Answer> = {
  /** Text of the button that sends the form, and of the link to its page, unless that is `link`. */
  label: string | ((item: Item) => string);
  link?: string;
  /** Title of the page with the form; without it the action has none: its button sends it, or it is on the page `on`. */
  title?: string | ((item: Item, at: PageRequest) => string);
  /** The path of the page on which the form is. */
  on?: string;
  lead?: ComponentChildren | ((item: Item) => ComponentChildren);
  /** Reads what the action is about. */
  read?: (at: PageRequest) => Promise<Item>;
  /** The page of the item, where Cancel and the answer lead; by default that of the section. `item`: undefined for the answer. */
  above?: (at: PageRequest, item: Item | undefined) => Link;
  /** The pages above, if the first is not that of the section. */
  trail?: (at: PageRequest) => readonly Link[];
  /** Path of another page to which the answer leads. */
  to?: string;
  /** The content of the page, instead of the form. */
  shows?: (item: Item, at: PageRequest) => VNode;
  /** One sentence each: the page asks before the action. */
  consequences?: readonly ComponentChildren[] | ((item: Item, at: PageRequest) => readonly ComponentChildren[]);
  /** Cannot be undone. */
  danger?: boolean;
  primary?: boolean;
  /** See `FormProps`. */
  once?: boolean;
  class?: string;
  /** Heading of the card with the form; empty: none; without it, the form is in no card. */
  card?: string;
  fields?: FormFields<Item>;
  /** Fields that the form carries from the address of its page, besides those of the path of the route. */
  carries?: readonly string[];
  /** The request that is sent, of the fields of the form. Throws `InvalidRequest`. */
  sends?: (fields: Given, at: PageRequest) => Given | Promise<Given>;
  /** The end of the form, such as other buttons: the first one is pressed by Enter. */
  below?: () => VNode;
  /** The page of another button of the form, which changes nothing: puts the form, with what was typed, beside its result. */
  tries?: (at: PageRequest, fields: Given) => Promise<((form: VNode) => VNode) | undefined>;
  /** Runs it, if it is not one call of the route. */
  runs?: (at: PageRequest, fields: Given) => Promise<Answer>;
  /** The notice on the page to which the answer leads. */
  done?: NoticeText;
  /** The page of the answer, or another address or notice than `above` and `done`. */
  answers?: (
    answer: Answer,
    at: PageRequest,
    given: Given,
  ) => PageView | { href?: string; notice?: string } | undefined;
};

export type Action = {
  /** The button or the link to the form, with the fields of the item; null for callers who may not. */
  button: (at: PageRequest, fields?: Query, changes?: { label?: string; id?: string; class?: string }) => VNode | null;
  /** The form alone, for a page that has more. */
  form: (at: PageRequest, item?: object, hidden?: Query) => VNode;
  may: (at: PageRequest) => boolean;
};

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
