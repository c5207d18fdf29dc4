//! Random programs: every choice is taken from a list of bytes, so that a shorter list is a smaller
//! program.

/// A token, and whether it must directly follow the one before it.
pub(crate) struct Token {
    pub(crate) text: String,
    pub(crate) glued: bool,
}

pub(crate) struct Generator<'a> {
    choices: std::slice::Iter<'a, u8>,
    pub(crate) tokens: Vec<Token>,
    depth: u32,
}

/// The tokens of a correct program.
pub(crate) fn program(choices: &[u8]) -> Vec<Token> {
    let mut generator = Generator {
        choices: choices.iter(),
        tokens: Vec::new(),
        depth: 0,
    };
    generator.file();
    generator.tokens
}

/// The text of tokens, with blanks, newlines and comments between them.
pub(crate) fn text_of(tokens: &[Token], choices: &[u8]) -> String {
    const BETWEEN: [&str; 12] = [
        " ",
        " ",
        " ",
        "\n",
        "\n    ",
        "\n\n",
        "\t",
        " // line\n",
        " /* block */ ",
        "\n/** doc\n * @param a b\n */\n",
        "\n// own line\n",
        "\r\n",
    ];
    let mut choices = choices.iter().cycle();
    let mut text = String::new();
    for token in tokens {
        if !token.glued {
            let choice = choices.next().copied().unwrap_or(0);
            text.push_str(BETWEEN[usize::from(choice) % BETWEEN.len()]);
        }
        text.push_str(&token.text);
    }
    text
}

impl Generator<'_> {
    /// A number below `bound`; 0 if there are no choices left.
    fn choose(&mut self, bound: u8) -> u8 {
        self.choices.next().map_or(0, |byte| byte % bound)
    }

    fn push(&mut self, text: &str) {
        self.tokens.push(Token {
            text: text.to_owned(),
            glued: false,
        });
    }

    fn glue(&mut self, text: &str) {
        self.tokens.push(Token {
            text: text.to_owned(),
            glued: true,
        });
    }

    /// Tokens that are written with blanks between them.
    fn all(&mut self, texts: &str) {
        texts.split(' ').for_each(|text| self.push(text));
    }

    fn list(&mut self, open: &str, close: &str, item: fn(&mut Self)) {
        self.push(open);
        for number in 0..self.choose(4) {
            if number > 0 {
                self.push(",");
            }
            item(self);
        }
        self.push(close);
    }

    fn name(&mut self) -> &'static str {
        const NAMES: [&str; 14] = [
            "a", "b", "sku", "x_1", "script", "python", "when", "in", "as", "facet", "use",
            "event", "null", "schema",
        ];
        NAMES[usize::from(self.choose(14))]
    }

    fn ident(&mut self) {
        let name = self.name();
        self.push(name);
    }

    fn qname(&mut self) {
        self.ident();
        for _ in 0..self.choose(3) {
            self.glue(".");
            let name = self.name();
            self.glue(name);
        }
    }

    fn file(&mut self) {
        for _ in 0..1 + self.choose(3) {
            if self.choose(2) == 0 {
                self.decl();
            } else {
                self.push("namespace");
                self.qname();
                self.push("{");
                for _ in 0..self.choose(4) {
                    if self.choose(3) == 1 {
                        let keyword = ["use", "uses"][usize::from(self.choose(2))];
                        self.push(keyword);
                        self.qname();
                    } else {
                        self.decl();
                    }
                }
                self.push("}");
            }
            self.semicolon();
        }
    }

    fn semicolon(&mut self) {
        if self.choose(4) == 1 {
            self.push(";");
        }
    }

    fn decl(&mut self) {
        match self.choose(6) {
            0 => self.facet("facet"),
            1 => self.facet("event facet"),
            2 => self.facet("workflow"),
            3 => {
                self.push("schema");
                self.ident();
                self.list("{", "}", Self::field);
            }
            4 => {
                self.push("implicit");
                self.ident();
                self.push("=");
                self.call();
            }
            _ => {
                self.all("event facet");
                self.signature();
                self.all("prompt {");
                for _ in 0..self.choose(4) {
                    let directive = ["system", "template", "model"][usize::from(self.choose(3))];
                    self.push(directive);
                    self.push("\"{a} text\nof two lines\"");
                }
                self.push("}");
                self.maybe_catch();
            }
        }
        self.semicolon();
    }

    fn facet(&mut self, kind: &str) {
        self.all(kind);
        self.signature();
        if self.choose(5) == 1 {
            self.script();
        }
        for _ in 0..self.choose(3) {
            self.and_then(true);
        }
        self.maybe_catch();
    }

    fn signature(&mut self) {
        self.ident();
        self.list("(", ")", Self::param);
        if self.choose(2) == 1 {
            self.push("=>");
            self.list("(", ")", Self::param);
        }
        self.mixins();
    }

    fn field(&mut self) {
        self.ident();
        self.push(":");
        self.ty();
    }

    fn param(&mut self) {
        self.field();
        if self.choose(3) == 1 {
            self.push("=");
            self.expr();
        }
    }

    fn ty(&mut self) {
        if self.choose(4) == 1 {
            self.push("[");
            self.ty();
            self.push("]");
        } else {
            self.qname();
        }
    }

    fn script(&mut self) {
        const CODE: [&str; 6] = [
            "{ a = 1 }",
            "{\n\n      a = {'}': '''\n  }\n   '''}  # }\n\n      if a:\n         b\n\n  }",
            "{}",
            "{ if a:\n        b\n\tc }",
            "\"a = 1\"",
            "\"\n   a = 1\n     b\\n\"",
        ];
        self.push("script");
        if self.choose(2) == 1 {
            self.push("python");
        }
        let code = CODE[usize::from(self.choose(6))];
        self.push(code);
    }

    fn and_then(&mut self, script: bool) {
        self.push("andThen");
        match self.choose(if script { 5 } else { 4 }) {
            0 | 1 => self.block(),
            2 => {
                self.push("foreach");
                self.ident();
                self.push("in");
                self.reference();
                self.block();
            }
            3 => self.when(),
            _ => self.script(),
        }
    }

    fn maybe_catch(&mut self) {
        if self.choose(5) == 1 {
            self.push("catch");
            if self.choose(2) == 1 {
                self.when();
            } else {
                self.block();
            }
        }
    }

    fn when(&mut self) {
        self.all("when {");
        for _ in 0..1 + self.choose(2) {
            self.push("case");
            self.expr();
            self.push("=>");
            self.block();
        }
        self.all("case _ =>");
        self.block();
        self.push("}");
    }

    fn block(&mut self) {
        self.push("{");
        self.depth += 1;
        for _ in 0..if self.depth > 4 { 0 } else { self.choose(4) } {
            self.ident();
            self.push("=");
            self.call();
            if self.choose(4) == 1 {
                self.and_then(false);
            }
            self.maybe_catch();
            self.semicolon();
        }
        for _ in 0..self.choose(3) {
            self.push("yield");
            self.call();
            self.semicolon();
        }
        self.depth -= 1;
        self.push("}");
    }

    fn call(&mut self) {
        self.qname();
        self.list("(", ")", Self::arg);
        self.mixins();
    }

    fn arg(&mut self) {
        self.ident();
        self.push("=");
        self.expr();
    }

    fn mixins(&mut self) {
        for _ in 0..if self.choose(3) == 1 {
            self.choose(3)
        } else {
            0
        } {
            self.push("with");
            self.qname();
            self.list("(", ")", Self::arg);
            if self.choose(2) == 1 {
                self.push("as");
                self.ident();
            }
        }
    }

    fn reference(&mut self) {
        if self.choose(2) == 0 {
            self.push("$");
            self.glue(".");
        } else {
            self.ident();
            self.push(".");
        }
        self.ident();
        for _ in 0..self.choose(2) {
            self.push(".");
            self.ident();
        }
    }

    fn expr(&mut self) {
        self.depth += 1;
        self.operand();
        let operators: [&[&str]; 3] = [
            &["+", "-", "*", "/", "%", "++"],
            &["&&", "||"],
            &["==", "<", ">="],
        ];
        let operators = operators[usize::from(self.choose(3))];
        // A comparison does not chain.
        let most = if operators.contains(&"==") { 2 } else { 4 };
        for _ in 0..if self.depth > 3 { 0 } else { self.choose(most) } {
            let operator = operators[usize::from(self.choose(operators.len() as u8))];
            self.push(operator);
            self.operand();
        }
        self.depth -= 1;
    }

    fn operand(&mut self) {
        while self.choose(6) == 1 {
            let sign = ["-", "+", "!"][usize::from(self.choose(3))];
            self.push(sign);
        }
        let kinds = if self.depth > 3 { 6 } else { 10 };
        match self.choose(kinds) {
            0 => self.push("1"),
            1 => self.push("1.5e-3"),
            2 => self.push("\"a \\\" b\n // no comment \\u00e9\""),
            3 => self.push("true"),
            4 | 5 => self.reference(),
            6 => {
                self.push("(");
                self.expr();
                self.push(")");
            }
            7 => self.list("[", "]", Self::expr),
            8 => self.list("#{", "}", |generator| {
                if generator.choose(2) == 1 {
                    generator.push("\"a key\"");
                } else {
                    generator.ident();
                }
                generator.push(":");
                generator.expr();
            }),
            _ => {
                self.push("a");
                self.push(".");
                self.push("b");
                self.push("[");
                self.expr();
                self.push("]");
            }
        }
    }
}
