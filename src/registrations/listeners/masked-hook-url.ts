/**
 * A hook's URL for callers who did not send it: the full URL allows posting to the hook, so path and query are left out.
 * The listener's ID distinguishes hooks on one host.
 */
export const maskedHookUrl = (hookUrl: string): string => `${new URL(hookUrl).origin}/…`;
