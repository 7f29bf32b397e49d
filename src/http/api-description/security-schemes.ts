/** `securitySchemes` of OpenAPI: the credentials that callers have. */
export const securitySchemes = {
  accessToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description:
      'The access token of a user, from `POST /access` or `POST /refresh`. It is for one organisation. With registered clients it has ' +
      'the scopes `listeners` and `flows:publish`, or one of them.',
  },
  apiKey: {
    type: 'http',
    scheme: 'bearer',
    description:
      'The key of a producer, which an operator makes (`POST /admin/api/api-keys`): for one organisation or all, with the scopes ' +
      '`flows:publish`, `flows:read`, `listeners:read`, `listeners:write`, `deliveries:read`, or some of them.',
  },
  adminKey: {
    type: 'http',
    scheme: 'bearer',
    description:
      'The key of an operator (`ADMIN_KEYS`; in development mode it is in `admin-key.txt` of the data directory). It has a role: a ' +
      '`viewer` reads, an `operator` changes, an `owner` also erases and manages keys and clients. A role includes those before it.',
  },
  clientCredentials: {
    type: 'http',
    scheme: 'basic',
    description:
      'The ID and the secret of a registered client ([RFC 6749 §2.3.1](https://www.rfc-editor.org/rfc/rfc6749#section-2.3.1)). They may ' +
      'be in the body as `client_id` and `client_secret` instead. Needed as soon as one client is registered.',
  },
} as const;

export type SecurityScheme = keyof typeof securitySchemes;
