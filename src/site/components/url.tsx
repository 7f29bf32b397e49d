/** Number of characters shown of the beginning and of the end of a longer path. */
const shownEnd = 14;

/** A hook URL with its host in bold, and a long path cut in the middle: whole for screen readers and in the title. */
export function HookUrl({ url, href }: { url: string; href?: string }) {
  const [, scheme = '', host = url, rest = ''] = /^(https?:\/\/)([^/?]+)(.*)$/.exec(url) ?? [];
  const path = rest === '/' ? '' : rest;
  const isCut = path.length > 2 * shownEnd + 3;
  const content = (
    <>
      {scheme === 'http://' && scheme}
      <strong>{host}</strong>
      {isCut ? (
        <>
          <span class="cut" aria-hidden="true">
            {path.slice(0, shownEnd)}…{path.slice(-shownEnd)}
          </span>
          <span class="whole">{path}</span>
        </>
      ) : (
        path
      )}
    </>
  );
  return href === undefined ? (
    <span class="url" title={url}>
      {content}
    </span>
  ) : (
    <a class="url" href={href} title={url}>
      {content}
    </a>
  );
}

/** Copies a text, with scripts. */
export const CopyButton = ({ text, what }: { text: string; what: string }) => (
  <button type="button" class="quiet small" data-copy={text} aria-label={`Copy ${what}`} hidden>
    Copy
  </button>
);
