//! Names of a development as identifiers of Coq: no two are the same, and none is one that the exported text needs for
//! itself.

use crate::algebra::show;
use crate::kernel::Development;
use rustc_hash::FxHashSet;

/// Words of Coq's language, and what `Coarsen.v` and relation-algebra call the things that occur in exported text.
const TAKEN: &str = "\
    Axiom Definition End Fixpoint Lemma Ltac Proof Prop Qed Section Set Theorem Type Variable \
    as at by cofix do else end exists exists2 fix for forall fun if in let match mod move return then using where with \
    Show B H K P A T X L I cup dot one zer str om bot top neg cap inj \
    conj proj1 proj2 True I not not_eq_sym n process someone same everyone sumx sumt hypotheses kat leaf intros \
    by_equation tre_test top_star_alone N_same N_differ NT not_nil not_cons not_head not_tail rfl tr le ge both rfe \
    tre sye le_cup le_dot le_str le_om eq_cup eq_dot eq_str eq_om eq_tests eq_inj ref_test eq_or eq_and eq_not \
    top_star om_top om_zero om_one om_of_top le_sumx eq_sumx eq_sumt but_sumx but_sumt sumx_zero sumt_bot sumx_tests \
    chain join star_left star_right coinduction unfold_om intro_x intro_t separate_x separate_t elim_x elim_t \
    product_elim product_intro omega_algebra processes members letters";

/// The identifiers of an export.
pub struct Names {
    /// Of symbols, by number.
    pub symbols: Vec<String>,
    /// Of index variables, by number.
    pub variables: Vec<String>,
    /// Of hypotheses, by position.
    pub hypotheses: Vec<String>,
    /// Of theorems, by position.
    pub theorems: Vec<String>,
}

impl Names {
    /// Names for everything that a development speaks of; `variables` is how many index variables it uses.
    pub fn new(d: &Development, variables: usize) -> Self {
        let mut used: FxHashSet<String> = TAKEN.split_whitespace().map(String::from).collect();
        let mut name = |wanted: &str, prefix: &str| -> String {
            let name = identifier(wanted, prefix, &used);
            used.insert(name.clone());
            name
        };
        Names {
            symbols: d
                .terms
                .symbols()
                .iter()
                .map(|s| name(&s.name, "a_"))
                .collect(),
            variables: (0..variables)
                .map(|v| name(&show::variable(d, v as u32), "i_"))
                .collect(),
            hypotheses: d
                .hypotheses()
                .iter()
                .map(|(h, _)| name(&format!("h_{h}"), ""))
                .collect(),
            theorems: d.theorems().map(|t| name(&t.name, "t_")).collect(),
        }
    }
}

fn identifier(wanted: &str, prefix: &str, used: &FxHashSet<String>) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let mut name: String = wanted.chars().map(plain).collect();
    // What the text itself makes up has a digit behind one of these.
    let own = ["s", "k", "x", "o", "p", "d_", "N", "H", "leaf_"];
    let numbered = |name: &str| {
        let rest = own.iter().filter_map(|o| name.strip_prefix(o));
        rest.into_iter()
            .any(|r| !r.is_empty() && r.chars().all(|c| c.is_ascii_digit()))
    };
    if !name.starts_with(|c: char| c.is_ascii_alphabetic())
        || numbered(&name)
        || name.starts_with("d_")
    {
        name = format!("{prefix}{name}");
    }
    let base = name.clone();
    for n in 1.. {
        if !used.contains(&name) {
            break;
        }
        name = if n == 1 {
            format!("{base}_")
        } else {
            format!("{base}_{n}")
        };
    }
    name
}

/// Text that can stand in a comment.
pub fn comment(text: &str) -> String {
    let mut safe = String::new();
    for c in text.chars() {
        // Brackets of comments are taken apart; quotes would have to come in pairs.
        if c == '*' && safe.ends_with('(') || c == ')' && safe.ends_with('*') {
            safe.push(' ');
        }
        safe.push(if c == '"' { '\'' } else { c });
    }
    safe
}
