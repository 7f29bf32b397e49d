/** `info.description` of OpenAPI, in Markdown. */
export const introduction = `
The back end behind an app on an automation platform: it signs users in and issues tokens, lets platforms register listeners for an
organisation, delivers every flow event of that organisation to them, and remembers each change.

**Platforms** sign users in, and register and remove listeners. **Producers** publish flow events. **Operators** have the admin API.

Errors are flat: \`{"error": "integration_task_inactive", "message": "…", "requestId": "…"}\`; on the token routes they have the form of
[RFC 6749 §5.2](https://www.rfc-editor.org/rfc/rfc6749#section-5.2). Programs decide by \`error\`; the \`requestId\` finds the request in the log of
the service. Repeat a request after a 429 or 503 when \`Retry-After\` has passed.

What a listener receives is the body that \`perform-list\` shows, signed according to [Standard Webhooks](https://www.standardwebhooks.com).
`.trim();
