/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Instructions that compilers seldom emit, for pads.oracle: each touches memory in a way that our table must know. */
	.text
	.type	forms, @function
	.globl	forms
forms:
	movb %al, 1(%rdi,%rcx,2)
	movw %ax, 2(%rdi)
	movl $7, 0x10(%r9)
	movq $7, (%r8,%r9,8)
	movabsq 0x1122334455667788, %rax
	movabsb %al, 0x1122334455667788
	movzbl (%rdi), %eax
	movzwl (%rdi), %eax
	movzbw (%rdi), %ax
	movsbl (%rdi), %eax
	movsbw (%rdi), %ax
	movsbq (%rdi), %rax
	movswl (%rdi), %eax
	movswq (%rdi), %rax
	movslq (%rdi), %rax
	movbe (%rdi), %eax
	movbe %rax, (%rdi)
	movnti %eax, (%rdi)
	addl (%rdi), %eax
	addb $1, (%rdi)
	adcq %rax, (%rdi)
	sbbw $3, (%rdi)
	andl %eax, (%rdi)
	orq (%rdi), %rax
	xorb %al, (%rdi)
	subl $1000, (%rdi)
	cmpl $1, (%rdi)
	cmpb %al, (%rdi)
	cmpq (%rdi), %rax
	testl %eax, (%rdi)
	testb $1, (%rdi)
	incl (%rdi)
	decq (%rdi)
	negw (%rdi)
	notb (%rdi)
	shll (%rdi)
	shlq $3, (%rdi)
	sarl %cl, (%rdi)
	shrb $1, (%rdi)
	roll $2, (%rdi)
	rorq %cl, (%rdi)
	rcll $1, (%rdi)
	rcrl $1, (%rdi)
	shldl $3, %eax, (%rdi)
	shrdq %cl, %rax, (%rdi)
	imull (%rdi), %eax
	imulq $5, (%rdi), %rax
	imulb (%rdi)
	mull (%rdi)
	divq (%rdi)
	idivl (%rdi)
	btl $3, (%rdi)
	btsq $3, (%rdi)
	btrl $3, (%rdi)
	lock btcl $3, (%rdi)
	sete (%rdi)
	setnle (%rdi)
	cmovel (%rdi), %eax
	cmovl (%rdi), %eax
	cmovlq (%rdi), %rax
	cmovaw (%rdi), %ax
	xchgl %eax, (%rdi)
	xchgb (%rdi), %al
	lock xaddq %rax, (%rdi)
	xaddl %eax, (%rdi)
	lock cmpxchgl %ecx, (%rdi)
	lock cmpxchgb %cl, (%rdi)
	lock cmpxchg8b (%rdi)
	lock cmpxchg16b (%rdi)
	cmpxchgq %rcx, (%rdi)
	lock incl (%rdi)
	lock negq (%rdi)
	lock orw $1, (%rdi)
	lock orq $0, (%rsp)
	mfence
	pushq (%rdi)
	popq (%rdi)
	call *8(%rdi)
	notrack jmp *(%rdi,%rax,8)
	movsb
	movsw
	movsl
	movsq
	rep movsb
	rep movsq
	stosb
	rep stosq
	rep stosl
	lodsb
	lodsq
	scasb
	repne scasb
	cmpsb
	repe cmpsb
	crc32b (%rdi), %eax
	crc32q (%rdi), %rax
	popcntl (%rdi), %eax
	lzcntq (%rdi), %rax
	tzcntl (%rdi), %eax
	bsfq (%rdi), %rax
	bsrl (%rdi), %eax
	andnl (%rdi), %eax, %ecx
	bextrl %eax, (%rdi), %ecx
	blsrq (%rdi), %rax
	bzhil %eax, (%rdi), %ecx
	pdepq (%rdi), %rax, %rcx
	pextl (%rdi), %eax, %ecx
	rorxl $3, (%rdi), %eax
	sarxq %rax, (%rdi), %rcx
	shlxl %eax, (%rdi), %ecx
	mulxq (%rdi), %rax, %rcx
	adcxl (%rdi), %eax
	adoxq (%rdi), %rax
	flds (%rdi)
	fldl (%rdi)
	fldt (%rdi)
	fsts (%rdi)
	fstl (%rdi)
	fstps (%rdi)
	fstpl (%rdi)
	fstpt (%rdi)
	filds (%rdi)
	fildl (%rdi)
	fildll (%rdi)
	fistps (%rdi)
	fistpl (%rdi)
	fistpll (%rdi)
	fisttpll (%rdi)
	fadds (%rdi)
	faddl (%rdi)
	fmull (%rdi)
	fdivrs (%rdi)
	fsubl (%rdi)
	fcomps (%rdi)
	fiaddl (%rdi)
	fimuls (%rdi)
	fldcw (%rdi)
	fnstcw (%rdi)
	fnstsw (%rdi)
	ldmxcsr (%rdi)
	stmxcsr (%rdi)
	movss (%rdi), %xmm1
	movss %xmm1, (%rdi)
	movsd (%rdi), %xmm1
	movsd %xmm1, (%rdi)
	movd (%rdi), %xmm1
	movd %xmm1, (%rdi)
	movq (%rdi), %xmm1
	movq %xmm1, (%rdi)
	movaps (%rdi), %xmm1
	movups %xmm1, (%rdi)
	movapd %xmm1, (%rdi)
	movdqa (%rdi), %xmm1
	movdqu %xmm1, (%rdi)
	movntps %xmm1, (%rdi)
	movntdq %xmm1, (%rdi)
	movntdqa (%rdi), %xmm1
	movlps (%rdi), %xmm1
	movhps %xmm1, (%rdi)
	movlpd %xmm1, (%rdi)
	movhpd (%rdi), %xmm1
	movddup (%rdi), %xmm1
	movshdup (%rdi), %xmm1
	lddqu (%rdi), %xmm1
	addss (%rdi), %xmm1
	addsd (%rdi), %xmm1
	addps (%rdi), %xmm1
	subpd (%rdi), %xmm1
	mulss (%rdi), %xmm1
	divsd (%rdi), %xmm1
	sqrtss (%rdi), %xmm1
	sqrtpd (%rdi), %xmm1
	minsd (%rdi), %xmm1
	maxps (%rdi), %xmm1
	ucomiss (%rdi), %xmm1
	comisd (%rdi), %xmm1
	cmpltsd (%rdi), %xmm1
	cmpps $2, (%rdi), %xmm1
	andps (%rdi), %xmm1
	xorpd (%rdi), %xmm1
	shufps $1, (%rdi), %xmm1
	unpcklps (%rdi), %xmm1
	cvtsi2sdl (%rdi), %xmm1
	cvtsi2sdq (%rdi), %xmm1
	cvtsi2ssl (%rdi), %xmm1
	cvtss2sd (%rdi), %xmm1
	cvtsd2ss (%rdi), %xmm1
	cvttss2si (%rdi), %eax
	cvttsd2si (%rdi), %rax
	cvttsd2sil (%rdi), %eax
	cvtss2siq (%rdi), %rax
	vcvttsd2sil (%rdi), %eax
	cvtdq2ps (%rdi), %xmm1
	cvtdq2pd (%rdi), %xmm1
	cvtps2pd (%rdi), %xmm1
	cvttpd2dq (%rdi), %xmm1
	paddd (%rdi), %xmm1
	pabsd (%rdi), %xmm1
	pmaxsd (%rdi), %xmm1
	pcmpeqb (%rdi), %xmm1
	pshufd $1, (%rdi), %xmm1
	pshufb (%rdi), %xmm1
	pmovzxbw (%rdi), %xmm1
	pmovzxbd (%rdi), %xmm1
	pmovzxbq (%rdi), %xmm1
	pmovsxwd (%rdi), %xmm1
	pmovsxwq (%rdi), %xmm1
	pmovsxdq (%rdi), %xmm1
	pinsrb $1, (%rdi), %xmm1
	pinsrw $1, (%rdi), %xmm1
	pinsrd $1, (%rdi), %xmm1
	pinsrq $1, (%rdi), %xmm1
	pextrb $1, %xmm1, (%rdi)
	pextrw $1, %xmm1, (%rdi)
	pextrd $1, %xmm1, (%rdi)
	pextrq $1, %xmm1, (%rdi)
	insertps $1, (%rdi), %xmm1
	extractps $1, %xmm1, (%rdi)
	roundsd $1, (%rdi), %xmm1
	blendps $1, (%rdi), %xmm1
	psllw (%rdi), %xmm1
	psrlq (%rdi), %xmm1
	pmulld (%rdi), %xmm1
	vmovups (%rdi), %ymm1
	vmovaps %ymm1, (%rdi)
	vmovdqu %xmm1, (%rdi)
	vmovss (%rdi), %xmm1
	vmovsd %xmm1, (%rdi)
	vmovd (%rdi), %xmm1
	vmovq %xmm1, (%rdi)
	vmovhps (%rdi), %xmm2, %xmm1
	vmovlpd %xmm1, (%rdi)
	vaddss (%rdi), %xmm2, %xmm1
	vaddsd (%rdi), %xmm2, %xmm1
	vaddps (%rdi), %ymm2, %ymm1
	vmulpd (%rdi), %xmm2, %xmm1
	vfmadd213ss (%rdi), %xmm2, %xmm1
	vfmadd231pd (%rdi), %ymm2, %ymm1
	vcvtsi2sdq (%rdi), %xmm2, %xmm1
	vcvtps2pd (%rdi), %ymm1
	vcvtdq2pd (%rdi), %ymm1
	vbroadcastss (%rdi), %ymm1
	vbroadcastsd (%rdi), %ymm1
	vbroadcastf128 (%rdi), %ymm1
	vpbroadcastb (%rdi), %ymm1
	vpbroadcastw (%rdi), %xmm1
	vpbroadcastd (%rdi), %ymm1
	vpbroadcastq (%rdi), %xmm1
	vinsertf128 $1, (%rdi), %ymm2, %ymm1
	vextractf128 $1, %ymm1, (%rdi)
	vextracti128 $1, %ymm1, (%rdi)
	vperm2f128 $1, (%rdi), %ymm2, %ymm1
	vpmovzxbw (%rdi), %ymm1
	vpmovsxbd (%rdi), %ymm1
	vpmovzxwd (%rdi), %ymm1
	vmovntdq %ymm1, (%rdi)
	vmaskmovps %ymm1, %ymm2, (%rdi)
	vpmaskmovd (%rdi), %ymm2, %ymm1
	vpaddd (%rdi), %ymm2, %ymm1
	vpinsrd $1, (%rdi), %xmm2, %xmm1
	vpextrq $1, %xmm1, (%rdi)
	vptest (%rdi), %ymm1
	movq 8(%rsp,%rax,2), %rcx
	movl %fs:-8(%rax), %ecx
	movl (%eax), %ecx
	movl %ecx, 4(,%rax,4)
	movl variable(%rip), %ecx
	movl 8+variable(%rip), %ecx
	addl $300, variable(%rip)
	leaq 8(%rsp), %rax
	prefetcht0 (%rdi)
	nopw (%rdi)
	ret
	.size	forms, .-forms
	.data
variable:
	.zero	64
	.ident	"GCC: as if a compiler had written it"
	.section	.note.GNU-stack,"",@progbits
