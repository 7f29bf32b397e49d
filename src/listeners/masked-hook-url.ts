/**
 * A hook URL for callers who did not send it: the full URL allows posting to the listener, so path and query are left out.
 * The listener's ID distinguishes listeners on one host.
 */
export const maskedHookUrl = (hookUrl: string): string => `${new URL(hookUrl).origin}/…`;
