import { DomainError } from '../../kernel/domain-error.js';

export class ClientNotFound extends DomainError {
  readonly code = 'client_not_found';

  constructor(clientId: string) {
    super(`no client with the ID '${clientId}' is registered`);
  }
}

export class ClientExists extends DomainError {
  readonly code = 'client_exists';

  constructor(clientId: string) {
    super(`a client with the ID '${clientId}' is registered already`);
  }
}

export class TooManyClients extends DomainError {
  readonly code = 'too_many_clients';

  constructor(max: number) {
    super(`${max} clients are registered, the maximum: remove one first`);
  }
}

/** Two secrets are valid; a third would end one that the client may still use. */
export class ClientSecretsOverlap extends DomainError {
  readonly code = 'secrets_overlap';

  constructor(until: string | null) {
    super(
      `the previous secret is valid ${until === null ? 'too' : `until ${until}`}: end it first, or rotate with an overlap of ` +
        '0 hours, which ends all earlier secrets',
    );
  }
}
