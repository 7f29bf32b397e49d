const { createHmac, timingSafeEqual } = require('node:crypto');

/**
 * True if a delivery has a valid signature (https://www.standardwebhooks.com). Zapier gives the body as it came (`content`), and prefixes
 * names of headers: `Http-Webhook-Signature`. The age is not checked, because Zapier may process a delivery later.
 */
function isSigned({ headers = {}, content = '' }, secret) {
  if (!secret) return false;
  const sent = new Map(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase().replace(/^http-/, ''), value]),
  );
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const signed = `${sent.get('webhook-id')}.${sent.get('webhook-timestamp')}.${content}`;
  const expected = Buffer.from(`v1,${createHmac('sha256', key).update(signed).digest('base64')}`);
  return String(sent.get('webhook-signature'))
    .split(' ')
    .map((signature) => Buffer.from(signature))
    .some((signature) => signature.length === expected.length && timingSafeEqual(signature, expected));
}

module.exports = { isSigned };
