import type { ComponentChildren } from 'preact';
import type { PageRequest } from '../page-request.js';
import type { LivePage, LiveParts, PageView, Site } from '../page-view.js';

type Shown = Omit<PageView, 'live' | 'content'> & {
  /** Shown below the live parts. */
  below?: ComponentChildren;
  /** Shown instead of the live parts one below the other. */
  content?: ComponentChildren;
};

/** Declares a page whose parts are updated while it is open, in their order; the part `actions` is beside the title. */
export function livePage(
  site: Site,
  path: string,
  { shows, ...page }: LivePage & { shows: (at: PageRequest, part: LiveParts['part']) => Promise<Shown> | Shown },
): undefined {
  const live = site.live(path, page);
  site.get(path, async (at) => {
    const parts = await live(at);
    const { below, content, ...view } = await shows(at, parts.part);
    const names = parts.names.filter((name) => name !== 'actions');
    return {
      ...(names.length < parts.names.length && { actions: parts.part('actions') }),
      ...view,
      live: parts,
      content: content ?? (
        <>
          {names.map(parts.part)}
          {below}
        </>
      ),
    };
  });
}
