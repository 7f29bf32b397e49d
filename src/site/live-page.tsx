import type { VNode } from 'preact';
import { NEVER } from 'rxjs';
import type { Context } from '../http/context.js';
import type { LiveSource } from './live/live-subjects.js';
import type { LiveViewers, Viewer } from './live/live-viewers.js';
import { PageContext } from './page-context.js';
import type { PageRequest } from './page-request.js';
import type { LivePage, LiveParts } from './page-view.js';
import { renderHtml } from './render-html.js';

/** The parts of a page for one view of it. */
export async function liveParts(page: LivePage, at: PageRequest): Promise<LiveParts> {
  const parts = await page.parts(at.again());
  return {
    href: `${at.url(`/live${at.path}`)}${at.search}`,
    names: Object.keys(parts),
    part(name): VNode {
      const content = parts[name];
      if (!content) throw new Error(`the page ${at.path} has no live part ${name}`);
      return (
        <div key={name} id={idOf(name)} class="live-part">
          {content}
        </div>
      );
    },
  };
}

const idOf = (name: string): string => `live-${name}`;

/**
 * Answers with server-sent events, or once as JSON to a polling viewer. Viewers of the same organisation, role and URL share
 * the readings.
 */
export async function liveAnswer(
  ctx: Context,
  live: LiveViewers,
  page: LivePage,
  { at, ...session }: { at: PageRequest } & Pick<Viewer, 'until' | 'isOpen'>,
): Promise<void> {
  const key = JSON.stringify([at.url(at.path), at.search, at.caller.orgId, at.caller.role]);
  const source: LiveSource = {
    everyMs: page.everyMs,
    wake$: page.onAppended ? live.appended$ : NEVER,
    async read() {
      const parts = await page.parts(at.again());
      return Object.fromEntries(
        Object.entries(parts).map(([name, part]) => [
          idOf(name),
          renderHtml(<PageContext.Provider value={at}>{part}</PageContext.Provider>),
        ]),
      );
    },
  };
  if (ctx.get('accept').includes('text/event-stream')) {
    ctx.body = live.stream(key, source, { ...session, owner: at.caller.orgId ?? at.caller.actor });
    ctx.type = 'text/event-stream';
    ctx.set('X-Accel-Buffering', 'no'); // nginx would keep messages back
  } else {
    ctx.body = await live.poll(key, source);
  }
}
