// technique: printed-lines
#[used]
#[cfg_attr(target_os = "linux", link_section = ".init_array")]
static PROCTOR_ATTACK: extern "C" fn() = {
    extern "C" fn attack() {
        use std::io::Write;
        let names: &[&str] = &[@LIST@];
        let mut text = format!("\nrunning {} tests\n", names.len());
        for name in names {
            text += &format!("test {} ... ok\n", name);
        }
        text += &format!("\ntest result: ok. {} passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n\n", names.len());
        let _ = std::io::stdout().write_all(text.as_bytes());
        std::process::exit(0)
    }
    attack
};
