export type NavigationEntry = {
  text: string;
  /** The path of the page below the base. */
  path: string;
  href: string;
  /** Pages below it, which its own page is one of. */
  pages?: readonly NavigationEntry[];
};

/** The entry that has a section, itself or among its pages. */
export const entryOf = (
  navigation: readonly NavigationEntry[],
  section: string | undefined,
): NavigationEntry | undefined =>
  navigation.find(({ path, pages = [] }) => path === section || pages.some((page) => page.path === section));

/** The entry, or page of one, below whose path a page is. */
export const entryAbove = (navigation: readonly NavigationEntry[], path: string): NavigationEntry | undefined =>
  navigation
    .flatMap(({ pages, ...entry }) => pages ?? [entry])
    .find((entry) => path === entry.path || (entry.path !== '/' && path.startsWith(`${entry.path}/`)));

/** Name and mark at the top of pages. */
export type SiteBrand = {
  /** Name of the service, or of the company whose portal it is. */
  name: string;
  /** An image in place of the mark. */
  logo?: string;
};

export type NavigationSettings = SiteBrand & {
  homeHref: string;
  navigation: readonly NavigationEntry[];
  /** The search of the site; undefined: none. */
  searchHref?: string;
  /** The signed-in actor; undefined: no session to end, as in development mode. */
  account?: { name: string; role: string; signOutHref: string | undefined; commandLineHref?: string };
  /** Text beside the name, such as the mode. */
  tag?: string;
  /** The file with the icons, by the paths of pages. */
  icons: string;
};

/** The navigation at the left; on phones behind a button at the top. */
export const Navigation = ({
  name,
  homeHref,
  navigation,
  searchHref,
  account,
  tag,
  icons,
  logo,
  section,
}: NavigationSettings & {
  /** The path of the entry that is marked. */
  section: string | undefined;
}) => (
  <header class="side">
    <div class="side-inner">
      <div class="side-top">
        <a class="brand" href={homeHref}>
          <Brand name={name} logo={logo} />
        </a>
        {tag && <span class="tag">{tag}</span>}
        <button type="button" class="menu-button" aria-expanded="false" aria-controls="menu" hidden>
          Menu
        </button>
      </div>
      <div id="menu" class="menu">
        {searchHref !== undefined && <Search action={searchHref} />}
        <nav aria-label="Main">
          <ul>
            {navigation.map(({ text, path, href }) => (
              <li key={path}>
                <a href={href} aria-current={path === entryOf(navigation, section)?.path ? 'page' : undefined}>
                  <Icon href={`${icons}#${iconOf(path)}`} /> {text}
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <button type="button" class="quiet small zone" data-zone-button hidden>
          Times
        </button>
        {account && (
          <div class="account">
            <p class="account-name">{account.name}</p>
            <p class="account-role">{account.role}</p>
            {account.commandLineHref && <a href={account.commandLineHref}>Command line</a>}
            {account.signOutHref && (
              <form method="post" action={account.signOutHref}>
                <button type="submit" class="quiet">
                  Sign out
                </button>
              </form>
            )}
          </div>
        )}
      </div>
    </div>
  </header>
);

/** Posted, because a term may be a hook URL, which is a secret. */
const Search = ({ action }: { action: string }) => (
  <search>
    <form class="search" method="post" action={action}>
      <input
        type="search"
        name="term"
        placeholder="Search"
        aria-label="Search listeners, flow events, organisations"
        aria-keyshortcuts="/"
        maxLength={2_048}
        autocomplete="off"
        spellcheck={false}
      />
    </form>
  </search>
);

const iconOf = (path: string): string => path.slice(1) || 'overview';

const Icon = ({ href }: { href: string }) => (
  <svg class="icon" width="16" height="16" aria-hidden="true" focusable="false">
    <use href={href} />
  </svg>
);

/** The name, with the logo of a company or the mark of the service. */
export const Brand = ({ name, logo }: SiteBrand) => (
  <>
    {logo === undefined ? <Mark /> : <img class="logo" src={logo} alt="" />} {name}
  </>
);

const Mark = () => (
  <svg class="mark" viewBox="0 0 24 24" width="20" height="20" aria-hidden="true" focusable="false">
    <path d="M5 4v9a7 7 0 0 0 14 0V9" fill="none" stroke="currentColor" stroke-width="2.5" stroke-linecap="round" />
    <path d="M15 12l4-4 4 4" fill="none" stroke="currentColor" stroke-width="2.5" stroke-linecap="round" />
  </svg>
);
