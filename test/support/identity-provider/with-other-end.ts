/** The same text with another end, still the base64url of 32 bytes if it was: a secret may end with any letters. */
export const withOtherEnd = (text: string): string => `${text.slice(0, -2)}${text.endsWith('AA') ? 'BA' : 'AA'}`;
