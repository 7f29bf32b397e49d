const { requireVariables, route } = require('./requests');

const client = ['CLIENT_ID', 'CLIENT_SECRET'];

/**
 * Status after which, if a refresh failed with it, Zapier keeps the connection and tries again. After most of 4xx, it asks the user to
 * connect again.
 */
const temporary = 503;

/** The address of the service's sign-in, with the parameters that Zapier gives. */
function authorizeUrl(z, { inputData }) {
  requireVariables(z, ...client);
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: process.env.CLIENT_ID,
    redirect_uri: inputData.redirect_uri,
    state: inputData.state,
  });
  return `${route('/oauth2')}?${query}`;
}

/** Requests tokens (RFC 6749 §4.1.3, §6). Returns the service's answer. */
async function requestTokens(z, path, grant, options = {}) {
  requireVariables(z, ...client);
  const { CLIENT_ID: client_id, CLIENT_SECRET: client_secret } = process.env;
  try {
    return await z.request({
      method: 'POST',
      url: route(path),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: { ...grant, client_id, client_secret },
      ...options,
    });
  } catch (error) {
    // For zapier-platform-core, any 401 is about an access token, and Zapier disconnects users after one. This one is about the client.
    if (!(error instanceof z.errors.RefreshAuthError)) throw error;
    const message = 'The service does not accept the CLIENT_ID and CLIENT_SECRET of this integration.';
    throw new z.errors.Error(message, 'invalid_client', temporary);
  }
}

async function getAccessToken(z, { inputData }) {
  const { code, redirect_uri, code_verifier } = inputData;
  // `zapier-platform invoke` signs in without PKCE.
  const grant = { grant_type: 'authorization_code', code, redirect_uri, ...(code_verifier && { code_verifier }) };
  const { data } = await requestTokens(z, '/access', grant);
  const { access_token, refresh_token, user_id, org_id } = data;
  return { access_token, refresh_token, user_id, org_id };
}

/** Both tokens are new. */
async function refreshAccessToken(z, { authData }) {
  const grant = { grant_type: 'refresh_token', refresh_token: authData.refresh_token };
  const response = await requestTokens(z, '/refresh', grant, { skipThrowForStatus: true });
  if (response.status >= 400) throw failedRefresh(z, response);
  const { access_token, refresh_token } = response.data;
  return { access_token, refresh_token, user_id: authData.user_id, org_id: authData.org_id };
}

/** Only a refresh token that is not valid any more ends the connection: users cannot mend any other failure by connecting again. */
function failedRefresh(z, { status, data }) {
  const { error, error_description: description } = data ?? {};
  const text = description ?? `The service answered with status ${status}.`;
  if (error === 'invalid_grant') return new z.errors.RefreshAuthError(text);
  return new z.errors.Error(text, error, status === 429 || status >= 500 ? status : temporary);
}

/** Tries the access token, for its organisation and scope. Returns the values for the label. */
async function test(z, { authData }) {
  const { data } = await z.request({ url: route('/test'), params: { scope: 'listeners' } });
  if (data?.success !== 1) {
    throw new z.errors.Error(
      'There is no Flow Hooks service at FLOW_HOOKS_URL: its answer is another one.',
      'unexpected_answer',
    );
  }
  return { user_id: authData.user_id, org_id: authData.org_id };
}

const computed = (key) => ({ key, type: 'string', required: false, computed: true });

module.exports = {
  type: 'oauth2',
  oauth2Config: { authorizeUrl, getAccessToken, refreshAccessToken, autoRefresh: true, enablePkce: true },
  fields: [computed('user_id'), computed('org_id')],
  test,
  connectionLabel: (_z, { inputData }) => `${inputData.user_id} in ${inputData.org_id}`,
};
