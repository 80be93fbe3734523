/** The tables of who may do what, and of what they sign in with. Secrets are stored hashed. */
export const PRINCIPAL_TABLES = `
CREATE TABLE principals (
  tenant TEXT NOT NULL,
  name TEXT NOT NULL,
  actor TEXT NOT NULL,
  roles TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  created_by TEXT NOT NULL,
  disabled_at BIGINT,
  PRIMARY KEY (tenant, name)
);

CREATE TABLE tokens (
  token_id TEXT PRIMARY KEY,
  token_sha256 TEXT NOT NULL UNIQUE,
  tenant TEXT NOT NULL,
  principal TEXT NOT NULL,
  label TEXT,
  created_at BIGINT NOT NULL,
  created_by TEXT NOT NULL,
  expires_at BIGINT,
  revoked_at BIGINT,
  FOREIGN KEY (tenant, principal) REFERENCES principals (tenant, name)
);

CREATE TABLE sign_in_links (
  code_sha256 TEXT PRIMARY KEY,
  tenant TEXT NOT NULL,
  principal TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  created_by TEXT NOT NULL,
  expires_at BIGINT NOT NULL,
  used_at BIGINT,
  FOREIGN KEY (tenant, principal) REFERENCES principals (tenant, name)
);

CREATE TABLE sessions (
  session_sha256 TEXT PRIMARY KEY,
  tenant TEXT NOT NULL,
  principal TEXT NOT NULL,
  token_id TEXT,
  created_at BIGINT NOT NULL,
  seen_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  FOREIGN KEY (tenant, principal) REFERENCES principals (tenant, name)
);
CREATE INDEX sessions_of_principal ON sessions (tenant, principal);
`;
