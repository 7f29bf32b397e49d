type NavigationEntry = {
  readonly text: string;
  /** The path of the page below the base. */
  readonly path: string;
  readonly href: string;
};

export type NavigationGroup = { readonly heading?: string; readonly entries: readonly NavigationEntry[] };

export type NavigationSettings = {
  /** The name at the top: of the service, or of the company whose portal it is. */
  readonly name: string;
  readonly homeHref: string;
  readonly navigation: readonly NavigationGroup[];
  /** The signed-in actor; undefined: no session to end, as in development mode. */
  readonly account?: { readonly name: string; readonly role: string; readonly signOutHref: string | undefined };
  /** Beside the name, such as the mode. */
  readonly tag?: string;
};

/** The navigation at the left; on phones behind a button at the top. */
export const Navigation = ({
  name,
  homeHref,
  navigation,
  account,
  tag,
  section,
}: NavigationSettings & {
  /** The path of the entry that is marked. */
  readonly section: string | undefined;
}) => (
  <header class="side">
    <div class="side-inner">
      <div class="side-top">
        <a class="brand" href={homeHref}>
          <Mark /> {name}
        </a>
        {tag && <span class="tag">{tag}</span>}
        <button type="button" class="menu-button" aria-expanded="false" aria-controls="menu" hidden>
          Menu
        </button>
      </div>
      <div id="menu" class="menu">
        <nav aria-label="Main">
          {navigation.map(({ heading, entries }) => (
            <div key={heading} class="nav-group">
              {heading && <h2>{heading}</h2>}
              <ul>
                {entries.map(({ text, path, href }) => (
                  <li key={path}>
                    <a href={href} aria-current={path === section ? 'page' : undefined}>
                      {text}
                    </a>
                  </li>
                ))}
              </ul>
            </div>
          ))}
        </nav>
        {account && (
          <div class="account">
            <p class="account-name">{account.name}</p>
            <p class="account-role">{account.role}</p>
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

/** The mark of the service beside its name. */
export const Mark = () => (
  <svg class="mark" viewBox="0 0 24 24" width="20" height="20" aria-hidden="true" focusable="false">
    <path d="M5 4v9a7 7 0 0 0 14 0V9" fill="none" stroke="currentColor" stroke-width="2.5" stroke-linecap="round" />
    <path d="M15 12l4-4 4 4" fill="none" stroke="currentColor" stroke-width="2.5" stroke-linecap="round" />
  </svg>
);
