import type { Readable } from 'node:stream';
import type { ComponentChildren, VNode } from 'preact';
import type { AnyAdminRoute } from '../admin/api/routing/admin-route.js';
import type { PageRequest, Query } from './page-request.js';

export type Link = { href: string; text: string };

/** Content of a page; the site adds the navigation. */
export type PageView = {
  title: string;
  /** The heading of the page, if it is not the title alone. */
  heading?: ComponentChildren;
  /** Path of the entry of the navigation that is marked, if it is not the one above the path of the page; empty: none. */
  section?: string;
  /** Text below the title. */
  lead?: ComponentChildren;
  /** The pages above this one, from the top; by default the entry of the navigation, and the pages `above` this one below it. */
  trail?: readonly Link[];
  above?: readonly Link[] | undefined;
  /** Buttons and links beside the title. */
  actions?: ComponentChildren;
  /** Updates parts of the page while it is open: see `Site.live`. */
  live?: LiveParts | undefined;
  /** 200 unless it says otherwise. */
  status?: number;
  content: ComponentChildren;
};

/** Another page instead: the answer 303 to a form. */
export type Redirect = { redirect: string };

/** A file instead, which the browser saves. */
export type Download = {
  /** `bytes` undefined: not known before it is read. */
  download: { fileName: string; bytes?: number; content: Readable };
};

/** The parts of one page that are updated while it is open. */
export type LiveParts = {
  /** The URL of their stream. */
  href: string;
  names: readonly string[];
  /** The part with this name, in the element that updates replace the contents of. */
  part: (name: string) => VNode;
};

/** The contents of the parts of a page by name: letters, digits and `-`. */
export type Parts = Readonly<Record<string, VNode>>;

export type LivePage = {
  /** Interval between readings while there are viewers. */
  everyMs: number;
  /** Reads at once when events have been appended, at most once a second. */
  onAppended?: boolean;
  /** Shared by all viewers of the same organisation, role and query: nothing in them depends on who the caller is. */
  parts: (at: PageRequest) => Promise<Parts>;
};

/** Shows a page; `undefined`: there is none. Domain errors that it throws become pages. */
export type Show = (at: PageRequest) => Promise<PageView>;
/** Answers with another page, a page that is shown once, or a file. */
export type Act = (at: PageRequest) => Promise<PageView | Redirect | Download>;

/** Declares the pages of a subject. Paths are below the base, as of `@koa/router`: `/listeners/:listenerId`. */
export type Site = {
  get: (path: string, show: Show) => void;
  /** A page with a form alone, for callers who may call the route to which the form leads. */
  form: (path: string, route: Pick<AnyAdminRoute, 'access'>, show: Show) => void;
  /** `on`: the page with the form, by default that of the same path: it is shown again with what was typed if it is refused. */
  post: (path: string, act: Act, on?: string) => void;
  /** A file by GET. */
  download: (path: string, act: Act) => void;
  /** The returned function reads the live parts for a view of the page. */
  live: (path: string, page: LivePage) => (at: PageRequest) => Promise<LiveParts>;
  /** The texts of notices, by the code in the query: `?notice=listener-paused`. */
  notices: (texts: Readonly<Record<string, NoticeText>>) => void;
};

/** A fixed text, or a text with numbers, which follow the code: `?notice=listeners-paused.3`. */
export type NoticeText = string | ((...numbers: readonly number[]) => string);

/** Not `void`, so that a function that returns a subject is no subject. */
export type Subject = (site: Site) => undefined;

/** Leads to a page, which shows the notice with this code. */
export const redirectTo = (at: PageRequest, path: string, query: Query & { notice?: string }): Redirect => ({
  redirect: at.url(path, query),
});
