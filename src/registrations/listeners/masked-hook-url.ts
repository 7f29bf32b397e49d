/**
 * A hook's URL as it may be shown to those who did not name it: whoever knows all of it can post to the hook, so path and
 * query are left out. The listener's ID tells hooks of one host apart.
 */
export const maskedHookUrl = (hookUrl: string): string => `${new URL(hookUrl).origin}/…`;
