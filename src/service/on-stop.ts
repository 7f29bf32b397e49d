/** Ends one part; `timeoutMs` is the rest of the time that all parts have together. */
export type Close = (timeoutMs: number) => Promise<void> | void;

/** Called with the function that ends a part, in the order in which the parts are started. */
export type OnStop = (close: Close) => void;
