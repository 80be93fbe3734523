import type { Child } from 'hono/jsx';
import { Lexer, Tokenizer, type Token, type Tokens } from 'marked';
import { LIMITS } from '../../core/limits.js';

/** Deepest nesting that is drawn; what lies deeper is shown as it was written. */
const DEPTH = 20;

/**
 * Gives up after a while: some texts take the parser time with the square of their length, and meanwhile nobody else
 * is answered. `space` is the first it tries on every block, `escape` on every piece of a line.
 */
class TimedTokenizer extends Tokenizer {
  private readonly until_ms = performance.now() + LIMITS.rendered_ms;

  override space(src: string) {
    this.requireTime();
    return super.space(src);
  }

  override escape(src: string) {
    this.requireTime();
    return super.escape(src);
  }

  private requireTime(): void {
    if (performance.now() > this.until_ms) throw new Error('this Markdown takes too long');
  }
}

/**
 * Markdown as elements of ours: only what is named here exists, every text is escaped, HTML in it stays text,
 * links go to the web or to mail only, and no picture is fetched.
 */
export function Markdown({ text }: { readonly text: string }) {
  let tokens: Token[];
  try {
    tokens = new Lexer({ gfm: true, tokenizer: new TimedTokenizer() }).lex(text);
  } catch {
    // Nested beyond what the parser bears, or made to keep it busy: shown as it was written.
    return <pre class="text">{text}</pre>;
  }
  return <div class="markdown">{tokens.map((token) => block(token, 0))}</div>;
}

function block(token: Token, depth: number): Child {
  if (depth > DEPTH) return <code>{token.raw}</code>;
  const inside = (tokens: Token[] | undefined): Child[] =>
    (tokens ?? []).map((each) => block(each, depth + 1));
  switch (token.type) {
    case 'space':
    case 'def':
      return null;
    case 'heading':
      return heading((token as Tokens.Heading).depth, inside(token.tokens));
    case 'paragraph':
      return <p>{inside(token.tokens)}</p>;
    case 'text':
      return token.tokens ? inside(token.tokens) : (token as Tokens.Text).text;
    case 'code':
      return (
        <pre>
          <code>{(token as Tokens.Code).text}</code>
        </pre>
      );
    case 'blockquote':
      return <blockquote>{inside(token.tokens)}</blockquote>;
    case 'hr':
      return <hr />;
    case 'list':
      return list(token as Tokens.List, inside);
    case 'table':
      return table(token as Tokens.Table, inside);
    case 'strong':
      return <strong>{inside(token.tokens)}</strong>;
    case 'em':
      return <em>{inside(token.tokens)}</em>;
    case 'del':
      return <del>{inside(token.tokens)}</del>;
    case 'codespan':
      return <code>{token.text}</code>;
    case 'br':
      return <br />;
    case 'escape':
      return (token as Tokens.Escape).text;
    case 'link':
      return (
        <>
          <SafeLink href={(token as Tokens.Link).href}>{inside(token.tokens)}</SafeLink>
        </>
      );
    case 'image':
      return <span class="no-picture">{`[${token.text || 'image'}] ${(token as Tokens.Image).href}`}</span>;
    case 'checkbox':
      return (token as { checked?: boolean }).checked ? '☑ ' : '☐ ';
    default:
      return token.raw;
  }
}

/** An artifact's headings stand below the page's own. */
function heading(depth: number, inside: Child[]): Child {
  if (depth <= 1) return <h3>{inside}</h3>;
  if (depth === 2) return <h4>{inside}</h4>;
  return <h5>{inside}</h5>;
}

function list(token: Tokens.List, inside: (tokens: Token[]) => Child[]): Child {
  const items = token.items.map((item) => <li>{inside(item.tokens)}</li>);
  return token.ordered ? <ol start={token.start === '' ? 1 : token.start}>{items}</ol> : <ul>{items}</ul>;
}

function table(token: Tokens.Table, inside: (tokens: Token[]) => Child[]): Child {
  return (
    <div class="scroll" tabindex={0}>
      <table>
        <thead>
          <tr>
            {token.header.map((cell) => (
              <th scope="col">{inside(cell.tokens)}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {token.rows.map((row) => (
            <tr>
              {row.map((cell) => (
                <td>{inside(cell.tokens)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** A link that came from outside: to the web only, without telling where from; anything else is text. */
export function SafeLink({ href, children }: { readonly href: string; readonly children?: Child }) {
  if (!URL.canParse(href) || !['http:', 'https:', 'mailto:'].includes(new URL(href).protocol)) {
    return (
      <span class="no-link" title={href}>
        {children}
      </span>
    );
  }
  return (
    <a href={href} rel="noreferrer noopener nofollow" target="_blank" title={href}>
      {children}
    </a>
  );
}

/** A reference to evidence: a link where it is one. */
export function Evidence({ reference }: { readonly reference: string }) {
  return /^https?:\/\//i.test(reference) ? (
    <SafeLink href={reference}>{reference}</SafeLink>
  ) : (
    <code class="wrap">{reference}</code>
  );
}
