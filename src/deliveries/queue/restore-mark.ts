type FinishedCopy = {
  readonly at: Date;
  /** Description of the store that was copied, as given to `finish`. */
  readonly source: string;
};

/**
 * Marks a database while a copy fills it: a service that worked on it before the end would send what was sent long ago.
 * The mark stays when the copy has ended: what a service has done since must not be undone by another copy.
 */
export type RestoreMark = {
  readonly read: () => Promise<'none' | 'unfinished' | FinishedCopy>;
  /** The name of a collection that holds something, if any does. */
  readonly findContent: () => Promise<string | undefined>;
  readonly begin: () => Promise<void>;
  readonly finish: (source: string) => Promise<void>;
};
