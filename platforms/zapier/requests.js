// Requests to the service: their addresses, who is calling, and the meaning of errors for users of Zapier.

/** The path of the routes for listeners: `HOOKS_PREFIX` of the service. */
const hooksPrefix = '/api/hooks';

/** The address of a route of the service. */
const route = (path) => `${(process.env.FLOW_HOOKS_URL ?? '').replace(/\/+$/, '')}${path}`;

/** The address of a route for listeners. */
const listenerRoute = (path) => route(hooksPrefix + path);

/** Headers carry bytes: the service reads IDs of users and organisations as UTF-8. */
const utf8 = (text) => Buffer.from(text, 'utf8').toString('latin1');

/** Throws an error that names the environment variables that are not set: FLOW_HOOKS_URL and these. They can go missing at any time. */
function requireVariables(z, ...others) {
  const missing = ['FLOW_HOOKS_URL', ...others].filter((name) => !process.env[name]);
  if (missing.length > 0) {
    throw new z.errors.Error(
      `This integration is not configured: set ${missing.join(', ')} with zapier-platform env:set.`,
    );
  }
  if (!/^https?:\/\//.test(process.env.FLOW_HOOKS_URL)) {
    throw new z.errors.Error('FLOW_HOOKS_URL has to begin with https://.');
  }
}

/** Adds the connection of the user to each request, except those for tokens. */
function identify(request, z, { authData }) {
  requireVariables(z);
  if (!authData?.access_token || request.url === route('/access') || request.url === route('/refresh')) return request;
  request.headers.Authorization = `Bearer ${authData.access_token}`;
  request.headers.orgid = utf8(authData.org_id);
  request.headers.userid = utf8(authData.user_id);
  return request;
}

/**
 * Throws an error with the service's message if it refused a request. Zapier repeats requests that were too many or failed with a
 * `Retry-After`. zapier-platform-core itself throws for 401, before this, so that Zapier refreshes the access token.
 */
function raiseErrors(response, z) {
  if (response.status < 400 || response.skipThrowForStatus) return response;
  const { error, message, error_description: description } = response.data ?? {};
  const text = message ?? description ?? `The service answered with status ${response.status}.`;
  const retryAfterSeconds = Number.parseInt(response.getHeader('retry-after') ?? '', 10);
  // As long as the organisation has as many listeners as it may have, a repeat is refused too.
  const isTemporary = error !== 'too_many_listeners' && (response.status === 429 || response.status >= 500);
  if (isTemporary && retryAfterSeconds > 0) throw new z.errors.ThrottledError(text, retryAfterSeconds);
  throw new z.errors.Error(text, error, response.status);
}

module.exports = { listenerRoute, identify, raiseErrors, requireVariables, route };
